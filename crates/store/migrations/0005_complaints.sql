-- What a file of subscriptions had wrong, as a JSON list of sentences.
ALTER TABLE opml_import ADD COLUMN complaints TEXT NOT NULL DEFAULT '[]';
