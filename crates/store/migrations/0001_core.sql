-- The tables of Wellread. One text for both databases: {ID} and {BLOB} are replaced before it runs, times are
-- microseconds since 1970, JSON is TEXT. Tables are keyed by feed or by user first, so that they can be partitioned
-- that way; between the two halves there are no foreign keys.

-- People

CREATE TABLE user_account (
    id {ID},
    name TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    is_admin BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_token (
    hash {BLOB} NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE folder (
    id {ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    -- 0 for the outermost folders, so that uniqueness holds there too.
    parent_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (user_id, parent_id, name)
);

-- Feeds, keyed by feed

CREATE TABLE feed (
    id {ID},
    url TEXT NOT NULL,
    -- 0 for shared feeds, else the one person who may see it.
    private_to BIGINT NOT NULL,
    title TEXT,
    site_url TEXT,
    description TEXT,
    language TEXT,
    icon_url TEXT,
    format TEXT,
    hubs TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Maintained with every item written or removed.
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    -- This feed's own retention; NULL follows the server's.
    keep_age_s BIGINT,
    keep_count BIGINT,
    retention_at BIGINT NOT NULL,
    UNIQUE (url, private_to)
);
CREATE INDEX feed_by_retention ON feed (retention_at);

CREATE TABLE feed_secret (
    feed_id BIGINT NOT NULL PRIMARY KEY REFERENCES feed (id) ON DELETE CASCADE,
    sealed {BLOB} NOT NULL
);

-- The hot row of a feed: everything a lease and an unchanged poll touch.
CREATE TABLE schedule (
    feed_id BIGINT NOT NULL PRIMARY KEY REFERENCES feed (id) ON DELETE CASCADE,
    next_poll_at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    -- domain::Schedule; next_poll_at and reason beside it win.
    state TEXT NOT NULL,
    feed_state TEXT NOT NULL,
    subscribers BIGINT NOT NULL,
    provider TEXT NOT NULL,
    -- The feed holds a place in its provider's queue, at next_poll_at.
    has_slot BOOLEAN NOT NULL,
    floor_s BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_until BIGINT,
    lease_node TEXT,
    -- When the lease began; still there after a crash, and then counted as a request.
    leased_at BIGINT
);
CREATE INDEX schedule_due ON schedule (next_poll_at) WHERE feed_state = 'active' AND subscribers > 0;

CREATE TABLE provider (
    name TEXT NOT NULL PRIMARY KEY,
    free_at BIGINT NOT NULL,
    busy_until BIGINT NOT NULL,
    blocked_until BIGINT NOT NULL,
    -- Where the next place in the provider's queue is.
    slot_at BIGINT NOT NULL,
    requests BIGINT NOT NULL
);

CREATE TABLE poll (
    id {ID},
    feed_id BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    http_status BIGINT,
    wire_bytes BIGINT NOT NULL,
    items_seen BIGINT NOT NULL,
    items_new BIGINT NOT NULL,
    items_changed BIGINT NOT NULL,
    error TEXT
);
CREATE INDEX poll_by_feed ON poll (feed_id, id);
CREATE INDEX poll_by_time ON poll (started_at);

CREATE TABLE item (
    id {ITEM_ID},
    feed_id BIGINT NOT NULL,
    identity {BLOB} NOT NULL,
    sort_at BIGINT NOT NULL,
    published_at BIGINT,
    first_seen_at BIGINT NOT NULL,
    title TEXT,
    link TEXT,
    author TEXT,
    content_hash BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    revised_at BIGINT,
    bytes BIGINT NOT NULL
);
CREATE INDEX item_by_feed ON item (feed_id, sort_at, id);

CREATE TABLE item_body (
    item_id {KEY},
    body {BLOB} NOT NULL
);

-- Every name an item is or was known by: its identity, later identities, its twins. Without an item it is a
-- tombstone: what retention removed does not come back.
CREATE TABLE item_name (
    feed_id BIGINT NOT NULL,
    name {BLOB} NOT NULL,
    item_id BIGINT,
    PRIMARY KEY (feed_id, name)
) {CLUSTERED};

-- Reading, keyed by user

-- Items sorted after the watermark are unread and the others read, unless read_mark says otherwise.
CREATE TABLE subscription (
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    feed_id BIGINT NOT NULL,
    folder_id BIGINT REFERENCES folder (id) ON DELETE SET NULL,
    title TEXT,
    created_at BIGINT NOT NULL,
    watermark BIGINT NOT NULL,
    unread BIGINT NOT NULL,
    PRIMARY KEY (user_id, feed_id)
) {CLUSTERED};
CREATE INDEX subscription_by_feed ON subscription (feed_id, user_id);
CREATE INDEX subscription_by_folder ON subscription (folder_id);

CREATE TABLE read_mark (
    user_id BIGINT NOT NULL,
    feed_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    sort_at BIGINT NOT NULL,
    is_read BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, feed_id, item_id)
) {CLUSTERED};
CREATE INDEX read_mark_unread ON read_mark (user_id, sort_at, item_id) WHERE NOT is_read;

CREATE TABLE star (
    user_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    sort_at BIGINT NOT NULL,
    starred_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, item_id)
) {CLUSTERED};
CREATE INDEX star_by_time ON star (user_id, sort_at, item_id);
CREATE INDEX star_by_item ON star (item_id);

CREATE TABLE item_tag (
    user_id BIGINT NOT NULL,
    tag TEXT NOT NULL,
    item_id BIGINT NOT NULL,
    sort_at BIGINT NOT NULL,
    tagged_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, tag, item_id)
) {CLUSTERED};
CREATE INDEX item_tag_by_time ON item_tag (user_id, tag, sort_at, item_id);
CREATE INDEX item_tag_by_item ON item_tag (item_id, user_id);

CREATE TABLE hidden_item (
    user_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    hidden_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, item_id)
) {CLUSTERED};
CREATE INDEX hidden_item_by_item ON hidden_item (item_id);

-- One "mark all read" that can be taken back, feed by feed.
CREATE TABLE undo (
    id {ID},
    user_id BIGINT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    made_at BIGINT NOT NULL,
    -- Items stored later are none of its business.
    newest_item BIGINT NOT NULL,
    -- JSON: watermarks before and after, and the items that were unread against the watermark.
    feeds TEXT NOT NULL
);
CREATE INDEX undo_by_user ON undo (user_id, id);

CREATE TABLE interaction (
    id {ID},
    user_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    feed_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    place TEXT NOT NULL,
    position BIGINT,
    dwell_ms BIGINT
);
CREATE INDEX interaction_by_user ON interaction (user_id, at);

CREATE TABLE access_log (
    id {ID},
    user_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    feed_id BIGINT
);
CREATE INDEX access_log_by_user ON access_log (user_id, at);

CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
