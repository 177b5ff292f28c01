-- Planning: what each feed asks of the budget, who reads it when, how late things were found; jobs of which one node at
-- a time runs each.

-- domain::Planned of the plan in force, so that the price is found by adding up: the demand where the price decides, in
-- millionths; polls per day where a floor or the longest interval does, in thousandths.
ALTER TABLE schedule ADD COLUMN demand BIGINT NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN fixed_polls BIGINT NOT NULL DEFAULT 0;
-- domain::Attention as JSON; NULL before anybody's habits are known.
ALTER TABLE schedule ADD COLUMN attention TEXT;

-- A person's own mark: this feed matters more than others.
ALTER TABLE subscription ADD COLUMN important BOOLEAN NOT NULL DEFAULT false;

-- What polls found on each day (UTC), for as long as it is of use; polls themselves are forgotten sooner.
CREATE TABLE feed_day (
    feed_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    polls BIGINT NOT NULL,
    fruitful BIGINT NOT NULL,
    dated BIGINT NOT NULL,
    delay_ms BIGINT NOT NULL,
    expected_ms BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    PRIMARY KEY (feed_id, day)
) {CLUSTERED};
CREATE INDEX feed_day_by_day ON feed_day (day);

-- When a person reads: plan's learned habit as JSON, and up to which row of access_log it has learned.
CREATE TABLE habit (
    user_id {KEY} REFERENCES user_account (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    learned_to BIGINT NOT NULL
);

CREATE TABLE job (
    name TEXT NOT NULL PRIMARY KEY,
    node TEXT NOT NULL,
    -- Nobody else starts it before.
    until BIGINT NOT NULL,
    done_at BIGINT
);
