-- What each version of a benchmark executes, so that an edited command is another version.
CREATE TABLE definition (
    name    TEXT NOT NULL,
    digest  {blob} NOT NULL,
    version BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (name, digest)
);
