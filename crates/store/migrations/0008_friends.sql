-- People who follow each other by consent, what they share, and whose opens count on this server.

-- Somebody asked to follow whoever has this name. A name that nobody has is kept just the same, so that asking tells
-- nothing about who is here; forgotten after thirty days.
CREATE TABLE friend_request (
    id {ITEM_ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    -- 'open'; 'refused', which its maker sees as open; 'buried' when they took a refused one back.
    state TEXT NOT NULL,
    UNIQUE (user_id, name)
);
CREATE INDEX friend_request_by_name ON friend_request (name, id);

-- `user_id` follows `friend_id`, who agreed.
CREATE TABLE friend (
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    friend_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    since BIGINT NOT NULL,
    PRIMARY KEY (user_id, friend_id)
) {CLUSTERED};
CREATE INDEX friend_by_friend ON friend (friend_id, user_id);

-- Items a person shows to who follows them. Never of a private feed; the item is kept as long.
CREATE TABLE share (
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    item_id BIGINT NOT NULL,
    feed_id BIGINT NOT NULL,
    shared_at BIGINT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (user_id, item_id)
) {CLUSTERED};
CREATE INDEX share_by_time ON share (user_id, shared_at, item_id);
CREATE INDEX share_by_item ON share (item_id);
CREATE INDEX share_by_feed ON share (feed_id);

-- The secret address of the feed of what a person shares. Only its hash is here.
CREATE TABLE share_address (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
    hash {BLOB} NOT NULL UNIQUE,
    made_at BIGINT NOT NULL
);

-- Whose opens are not counted in what is popular here.
ALTER TABLE user_account ADD COLUMN uncounted BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX interaction_opens ON interaction (at, item_id, user_id) WHERE kind = 'open';

-- A blind trial of two ways to rank For you; a person has one at a time.
CREATE TABLE trial (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
    -- Names of the two rankers.
    one TEXT NOT NULL,
    other TEXT NOT NULL,
    seed BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT
);

-- What was opened in the lists of a trial, and whose row it was: 0 the one's, 1 the other's.
CREATE TABLE trial_click (
    user_id BIGINT NOT NULL REFERENCES trial (user_id) ON DELETE CASCADE,
    item_id BIGINT NOT NULL,
    -- The moment the list was made.
    list_at BIGINT NOT NULL,
    side BIGINT NOT NULL,
    PRIMARY KEY (user_id, item_id)
) {CLUSTERED};
