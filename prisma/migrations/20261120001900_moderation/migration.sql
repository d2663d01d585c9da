-- What the slower checks found, for moderators alone; and what the author is told with a rejection.
ALTER TABLE moderation_items ADD COLUMN note text, ADD COLUMN rejection_reason text;
-- Held ones have an index of their own.
CREATE INDEX moderation_items_decided_idx ON moderation_items (state, created_at, id) WHERE state <> 'held';

-- Hosts of links that a moderator saw in something and let through (src/moderation/slower-checks.ts).
CREATE TABLE moderation_hosts (
  host       text CONSTRAINT moderation_hosts_pkey PRIMARY KEY,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
