-- Learning: what followers of items must hear of, what feeds are about, who tells the same story; saved searches.

-- What happened to items that followers have met already: 'edited', 'removed', or with item 0 'feed_removed'. Written
-- in the transaction that does it, forgotten after a month.
CREATE TABLE item_change (
    id {ITEM_ID},
    item_id BIGINT NOT NULL,
    feed_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX item_change_by_time ON item_change (at);

-- Numbers that only grow: 'channel' is the latest revision of a feed_profile, 'forgotten' the newest item_change that is
-- no longer kept.
CREATE TABLE counter (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counter (name, value) VALUES ('channel', 0), ('forgotten', 0);

-- What a feed is about. The bytes are learn's; numbers are in millionths.
CREATE TABLE feed_profile (
    feed_id {KEY} REFERENCES feed (id) ON DELETE CASCADE,
    -- The newest item taken in, and the latest sort date of all: much that is older says that history was filled in.
    learned_to BIGINT NOT NULL,
    newest_at BIGINT NOT NULL,
    -- Grows over all feeds with every write.
    revision BIGINT NOT NULL,
    state {BLOB} NOT NULL,
    -- Summaries: of the latest items, and of many.
    latest {BLOB} NOT NULL,
    general {BLOB} NOT NULL,
    change BIGINT,
    cohesion BIGINT,
    worth BIGINT NOT NULL,
    language TEXT
);
CREATE UNIQUE INDEX feed_profile_by_revision ON feed_profile (revision);

-- What was learned of everything together, in parts, and up to which item. 'digest' has no bytes: it is how far
-- profiles and stories have come.
CREATE TABLE model (
    name TEXT NOT NULL,
    part BIGINT NOT NULL,
    learned_to BIGINT NOT NULL,
    state {BLOB} NOT NULL,
    PRIMARY KEY (name, part)
);

-- Items that tell a story which an item of another feed tells too. A story goes by its first item, which may be gone.
CREATE TABLE story_item (
    item_id {KEY},
    story_id BIGINT NOT NULL,
    feed_id BIGINT NOT NULL,
    sort_at BIGINT NOT NULL,
    why TEXT NOT NULL
);
CREATE INDEX story_item_by_story ON story_item (story_id, item_id);
CREATE INDEX story_item_by_feed ON story_item (feed_id, sort_at);

CREATE INDEX schedule_popular ON schedule (subscribers, feed_id) WHERE subscribers >= 5;

CREATE TABLE saved_search (
    id {ITEM_ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The newest item of all when the person last looked.
    seen_to BIGINT NOT NULL
);
CREATE INDEX saved_search_by_user ON saved_search (user_id, id);
