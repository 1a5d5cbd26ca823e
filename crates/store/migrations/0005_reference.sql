-- What the fixed programs took that were executed beside a run's samples.
CREATE TABLE reference_sample (
    run     BIGINT NOT NULL REFERENCES run (number),
    number  BIGINT NOT NULL,
    digest  {blob} NOT NULL,
    program TEXT NOT NULL,
    round   BIGINT NOT NULL,
    at      TEXT NOT NULL,
    wall    BIGINT NOT NULL,
    cpu     BIGINT NOT NULL,
    PRIMARY KEY (run, number)
);
