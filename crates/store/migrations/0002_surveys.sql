-- What was built before a long history was first looked through: of the builds that there may be, it takes none.
CREATE TABLE survey (
    question {blob} NOT NULL,
    host     BIGINT NOT NULL REFERENCES host (number),
    earlier  TEXT NOT NULL,
    PRIMARY KEY (question, host)
);
