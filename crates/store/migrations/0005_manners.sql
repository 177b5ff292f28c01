-- What a file of subscriptions had wrong, as a JSON list of sentences.
ALTER TABLE opml_import ADD COLUMN complaints TEXT NOT NULL DEFAULT '[]';

-- The publisher asked, by X-Robots-Tag, not to be shown to people who do not follow the feed.
ALTER TABLE feed ADD COLUMN noindex BOOLEAN NOT NULL DEFAULT false;
