-- How many steps each run had done, and since which night: what tells a run that goes on from one that hangs.
CREATE TABLE book.run_steps (
    run_id VARCHAR NOT NULL,
    steps BIGINT NOT NULL,
    since DATE NOT NULL,
    first_seen DATE NOT NULL
);
