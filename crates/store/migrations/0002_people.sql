-- People and pages: sessions, preferences, rules, hidden items, what a list shows of an item, icons, full texts,
-- places in media, imports. What existing rows need to fit is in 0002_fill.sql, which follows this text.

-- People

ALTER TABLE user_account ADD COLUMN disabled BOOLEAN NOT NULL DEFAULT false;
-- domain::Preferences as JSON.
ALTER TABLE user_account ADD COLUMN preferences TEXT NOT NULL DEFAULT '{}';

-- Tokens get a number, by which their owner can name one without knowing it.
CREATE TABLE api_token_copy (
    hash {BLOB} NOT NULL,
    user_id BIGINT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
INSERT INTO api_token_copy (hash, user_id, label, created_at)
    SELECT hash, user_id, label, created_at FROM api_token ORDER BY created_at, hash;
DROP TABLE api_token;
CREATE TABLE api_token (
    id {ITEM_ID},
    hash {BLOB} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX api_token_by_user ON api_token (user_id, id);
INSERT INTO api_token (hash, user_id, label, created_at)
    SELECT hash, user_id, label, created_at FROM api_token_copy ORDER BY created_at, hash;
DROP TABLE api_token_copy;

-- A signed-in browser. Only the hash of what the browser holds is here.
CREATE TABLE session (
    id {ITEM_ID},
    hash {BLOB} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE INDEX session_by_user ON session (user_id, id);
CREATE INDEX session_by_end ON session (ends_at);

-- Wrong passwords, counted by name and by address; forgotten after a day.
CREATE TABLE login_failure (
    who TEXT NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);
CREATE INDEX login_failure_by_time ON login_failure (last_at);

CREATE TABLE rule (
    id {ITEM_ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    -- The scope inside `content` once more: both NULL for everything.
    folder_id BIGINT,
    feed_id BIGINT,
    -- domain::RuleOrder as JSON.
    content TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    notice TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX rule_by_user ON rule (user_id, id);

CREATE TABLE opml_import (
    id {ITEM_ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    left_out BIGINT NOT NULL,
    -- Feed numbers as JSON, in the order of the file.
    feeds TEXT NOT NULL
);
CREATE INDEX opml_import_by_user ON opml_import (user_id, id);

-- Feeds

-- Parts of `state` that pages ask of many feeds at once, and what the newest poll came to.
ALTER TABLE schedule ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN failing_since BIGINT;
ALTER TABLE schedule ADD COLUMN last_success_at BIGINT;
ALTER TABLE schedule ADD COLUMN milliposts_per_day BIGINT;
ALTER TABLE schedule ADD COLUMN last_outcome TEXT;
ALTER TABLE schedule ADD COLUMN last_error TEXT;
-- When the feed's icon is asked for next.
ALTER TABLE schedule ADD COLUMN icon_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX schedule_by_icon ON schedule (icon_at) WHERE subscribers > 0;

CREATE TABLE feed_icon (
    feed_id BIGINT NOT NULL PRIMARY KEY REFERENCES feed (id) ON DELETE CASCADE,
    -- NULL, as `bytes` and `version`, when the feed has no icon.
    kind TEXT,
    bytes {BLOB},
    version BIGINT,
    -- domain::Validators as JSON.
    validators TEXT NOT NULL
);

-- domain::Preview: what a list shows of a body.
ALTER TABLE item ADD COLUMN excerpt TEXT;
ALTER TABLE item ADD COLUMN picture TEXT;
ALTER TABLE item ADD COLUMN words BIGINT NOT NULL DEFAULT 0;
ALTER TABLE item ADD COLUMN playable BOOLEAN NOT NULL DEFAULT false;

-- An item's page as it was fetched for reading, packed like a body.
CREATE TABLE full_text (
    item_id {KEY},
    fetched_at BIGINT NOT NULL,
    body {BLOB} NOT NULL
);

-- Reading

-- A paused subscription asks for no polls, and what others' polls bring comes as read.
ALTER TABLE subscription ADD COLUMN paused BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE subscription ADD COLUMN full_text BOOLEAN NOT NULL DEFAULT false;

-- A hidden item is always read, and its feed always subscribed to.
ALTER TABLE hidden_item ADD COLUMN feed_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hidden_item ADD COLUMN sort_at BIGINT NOT NULL DEFAULT 0;
-- The rule that hid it; NULL for the person.
ALTER TABLE hidden_item ADD COLUMN rule_id BIGINT;
ALTER TABLE hidden_item ADD COLUMN was_unread BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX hidden_item_by_time ON hidden_item (user_id, sort_at, item_id);

CREATE TABLE media_position (
    user_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    enclosure BIGINT NOT NULL,
    position_ms BIGINT NOT NULL,
    moved_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, item_id, enclosure)
) {CLUSTERED};
CREATE INDEX media_position_by_item ON media_position (item_id);

-- Besides "mark all read" ('read'), leaving a feed ('feed') and removing a folder ('folder') can be taken back.
ALTER TABLE undo ADD COLUMN kind TEXT NOT NULL DEFAULT 'read';
-- The credentials of a feed that was left.
ALTER TABLE undo ADD COLUMN sealed {BLOB};
CREATE INDEX undo_by_time ON undo (made_at);
