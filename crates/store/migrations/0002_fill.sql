-- What rows of version 1 need to fit into version 2; also run after restoring an archive of version 1.

UPDATE schedule SET
    failures = COALESCE(CAST({STATE} ->> 'failures' AS BIGINT), 0),
    failing_since = CAST({STATE} ->> 'failing_since' AS BIGINT),
    last_success_at = CAST({STATE} ->> 'last_success_at' AS BIGINT),
    last_outcome = (SELECT p.outcome FROM poll p WHERE p.feed_id = schedule.feed_id ORDER BY p.id DESC LIMIT 1),
    last_error = (SELECT p.error FROM poll p WHERE p.feed_id = schedule.feed_id ORDER BY p.id DESC LIMIT 1);

-- Hidden items of feeds that were left, and those marked unread since, are hidden no longer.
UPDATE hidden_item SET feed_id = i.feed_id, sort_at = i.sort_at FROM item i WHERE i.id = hidden_item.item_id;
DELETE FROM hidden_item WHERE NOT EXISTS
    (SELECT 1 FROM subscription s
     LEFT JOIN read_mark m ON m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.item_id = hidden_item.item_id
     WHERE s.user_id = hidden_item.user_id AND s.feed_id = hidden_item.feed_id
       AND COALESCE(m.is_read, hidden_item.sort_at <= s.watermark));
INSERT INTO read_mark (user_id, feed_id, item_id, sort_at, is_read)
    SELECT user_id, feed_id, item_id, sort_at, true FROM hidden_item WHERE true
    ON CONFLICT (user_id, feed_id, item_id) DO NOTHING;
