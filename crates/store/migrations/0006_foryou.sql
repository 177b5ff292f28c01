-- For you: what ranking needs of an item, and what was learnt of each person.

-- The heaviest terms of an item, packed by rank, and as they were written: one a line, in the same order.
CREATE TABLE item_terms (
    item_id {KEY},
    terms {BLOB} NOT NULL,
    surfaces TEXT NOT NULL
);

-- What was learnt of a person. The bytes are rank's.
CREATE TABLE taste (
    user_id {KEY} REFERENCES user_account (id) ON DELETE CASCADE,
    -- Grows with every write: a change is made to what was read, or not at all.
    revision BIGINT NOT NULL,
    state {BLOB} NOT NULL,
    -- Their words as they were written: a JSON object by the numbers of terms.
    surfaces TEXT NOT NULL,
    -- The newest row of interaction that is in it.
    learned_to BIGINT NOT NULL,
    -- The run of topics it speaks of.
    topics_run BIGINT NOT NULL,
    -- They were asked what they like, and answered or would not.
    asked BOOLEAN NOT NULL
);

CREATE INDEX interaction_by_number ON interaction (user_id, id);
