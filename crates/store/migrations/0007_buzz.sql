-- How much a feed counts in its reader's Buzz, in hundredths from 0 to 200; by what they open unless they say.
ALTER TABLE subscription ADD COLUMN weight BIGINT;
