-- Words in braces differ between databases (crates/store/src/database); all else is the dialect that they share.
-- docs/src/formats/database.md says what each column means.

CREATE TABLE subject (
    name     TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE host (
    number   {number},
    identity {blob} NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    facts    TEXT NOT NULL
);

CREATE TABLE revision (
    number   {number},
    id       TEXT NOT NULL UNIQUE,
    ordinal  BIGINT,
    author   TEXT,
    date     TEXT,
    subject  TEXT,
    tags     TEXT
);

CREATE TABLE history (
    id       TEXT NOT NULL PRIMARY KEY,
    ordinal  BIGINT NOT NULL,
    author   TEXT NOT NULL,
    date     TEXT,
    subject  TEXT NOT NULL,
    files    TEXT NOT NULL,
    numbers  TEXT NOT NULL
);
CREATE INDEX history_ordinal ON history (ordinal);

CREATE TABLE build (
    host     BIGINT NOT NULL REFERENCES host (number),
    revision BIGINT NOT NULL REFERENCES revision (number),
    recipe   {blob} NOT NULL,
    quirks   TEXT NOT NULL,
    tools    TEXT NOT NULL,
    state    TEXT NOT NULL,
    started  TEXT NOT NULL,
    took     BIGINT NOT NULL,
    log      {blob},
    PRIMARY KEY (host, revision, recipe)
);

CREATE TABLE artifact (
    number   {number},
    digest   {blob} NOT NULL UNIQUE
);

CREATE TABLE benchmark (
    number     {number},
    name       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    parameters TEXT NOT NULL,
    answer     {blob},
    UNIQUE (name, version, parameters)
);

CREATE TABLE metric (
    number   {number},
    name     TEXT NOT NULL UNIQUE,
    unit     TEXT,
    better   TEXT
);

CREATE TABLE run (
    number     {number},
    purpose    TEXT NOT NULL,
    question   {blob} NOT NULL,
    plan       TEXT NOT NULL,
    seed       BIGINT NOT NULL,
    rounds     BIGINT NOT NULL,
    rule       TEXT NOT NULL,
    host       BIGINT NOT NULL REFERENCES host (number),
    version    TEXT NOT NULL,
    started    TEXT NOT NULL,
    state      TEXT NOT NULL,
    ended      TEXT,
    conditions TEXT NOT NULL,
    round      BIGINT NOT NULL
);

CREATE TABLE comparison (
    run   BIGINT NOT NULL PRIMARY KEY REFERENCES run (number),
    terms TEXT NOT NULL
);

CREATE TABLE baseline (
    name  TEXT NOT NULL PRIMARY KEY,
    run   BIGINT NOT NULL REFERENCES run (number),
    side  BIGINT NOT NULL,
    saved TEXT NOT NULL
);

CREATE TABLE session (
    run     BIGINT NOT NULL REFERENCES run (number),
    number  BIGINT NOT NULL,
    started TEXT NOT NULL,
    PRIMARY KEY (run, number)
) {clustered};

CREATE TABLE wait (
    run    BIGINT NOT NULL REFERENCES run (number),
    number BIGINT NOT NULL,
    round  BIGINT NOT NULL,
    took   BIGINT NOT NULL,
    quiet  BIGINT NOT NULL,
    why    TEXT NOT NULL,
    PRIMARY KEY (run, number)
) {clustered};

CREATE TABLE measurement (
    run       BIGINT NOT NULL REFERENCES run (number),
    cell      BIGINT NOT NULL,
    host      BIGINT NOT NULL REFERENCES host (number),
    benchmark BIGINT NOT NULL REFERENCES benchmark (number),
    revision  BIGINT NOT NULL REFERENCES revision (number),
    artifact  BIGINT NOT NULL REFERENCES artifact (number),
    rounds    BIGINT NOT NULL,
    merged    BIGINT NOT NULL,
    PRIMARY KEY (run, cell)
) {clustered};
-- All that a series needs to know of its measurements, so that it is read from here alone.
CREATE INDEX measurement_series ON measurement (host, benchmark, revision, run, cell);

CREATE TABLE absence (
    run       BIGINT NOT NULL REFERENCES run (number),
    benchmark BIGINT NOT NULL REFERENCES benchmark (number),
    metric    TEXT NOT NULL,
    why       TEXT NOT NULL,
    PRIMARY KEY (run, benchmark, metric)
) {clustered};

CREATE TABLE unread (
    run     BIGINT NOT NULL REFERENCES run (number),
    reading TEXT NOT NULL,
    why     TEXT NOT NULL,
    PRIMARY KEY (run, reading)
) {clustered};

CREATE TABLE steadiness (
    run         BIGINT NOT NULL,
    cell        BIGINT NOT NULL,
    counts_from BIGINT NOT NULL,
    found       TEXT NOT NULL,
    PRIMARY KEY (run, cell),
    FOREIGN KEY (run, cell) REFERENCES measurement (run, cell)
) {clustered};

CREATE TABLE chunk (
    run      BIGINT NOT NULL,
    cell     BIGINT NOT NULL,
    round    BIGINT NOT NULL,
    position BIGINT NOT NULL,
    valid    BIGINT NOT NULL,
    failed   BIGINT NOT NULL,
    samples  {blob} NOT NULL,
    PRIMARY KEY (run, cell, round, position),
    FOREIGN KEY (run, cell) REFERENCES measurement (run, cell)
) {clustered};

CREATE TABLE failure (
    run      BIGINT NOT NULL,
    cell     BIGINT NOT NULL,
    round    BIGINT NOT NULL,
    position BIGINT NOT NULL,
    failure  TEXT NOT NULL,
    output   {blob} NOT NULL,
    PRIMARY KEY (run, cell, round, position),
    FOREIGN KEY (run, cell) REFERENCES measurement (run, cell)
) {clustered};

CREATE TABLE change (
    number    {number},
    name      TEXT NOT NULL UNIQUE,
    host      BIGINT NOT NULL REFERENCES host (number),
    benchmark BIGINT NOT NULL REFERENCES benchmark (number),
    metric    BIGINT NOT NULL REFERENCES metric (number),
    found     TEXT NOT NULL,
    finding   TEXT NOT NULL,
    life      TEXT NOT NULL,
    word      TEXT NOT NULL,
    note      TEXT NOT NULL,
    fixed     TEXT,
    again     TEXT
);

CREATE TABLE happening (
    change   BIGINT NOT NULL REFERENCES change (number),
    position BIGINT NOT NULL,
    at       TEXT NOT NULL,
    happened TEXT NOT NULL,
    PRIMARY KEY (change, position)
) {clustered};

CREATE TABLE analysis (
    host      BIGINT NOT NULL REFERENCES host (number),
    benchmark BIGINT NOT NULL REFERENCES benchmark (number),
    metric    BIGINT NOT NULL REFERENCES metric (number),
    judged    {blob} NOT NULL,
    newest    TEXT NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (host, benchmark, metric)
) {clustered};

CREATE TABLE output (
    run      BIGINT NOT NULL,
    cell     BIGINT NOT NULL,
    round    BIGINT NOT NULL,
    position BIGINT NOT NULL,
    digest   {blob} NOT NULL,
    PRIMARY KEY (run, cell, round, position),
    FOREIGN KEY (run, cell) REFERENCES measurement (run, cell)
) {clustered};

CREATE TABLE bisection (
    run      BIGINT NOT NULL PRIMARY KEY REFERENCES run (number),
    name     TEXT NOT NULL UNIQUE,
    asked    TEXT NOT NULL,
    standing TEXT NOT NULL
);

CREATE TABLE observed (
    run      BIGINT NOT NULL REFERENCES run (number),
    number   BIGINT NOT NULL,
    observed TEXT NOT NULL,
    PRIMARY KEY (run, number)
) {clustered};
