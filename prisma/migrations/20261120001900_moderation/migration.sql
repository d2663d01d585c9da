-- What the slower checks found, for moderators alone; and what the author is told with a rejection.
ALTER TABLE moderation_items ADD COLUMN note text, ADD COLUMN rejection_reason text;
-- Held ones have an index of their own.
CREATE INDEX moderation_items_decided_idx ON moderation_items (state, created_at, id) WHERE state <> 'held';

-- Hosts of links that a moderator saw in something and let through (src/moderation/slower-checks.ts).
CREATE TABLE moderation_hosts (
  host       text CONSTRAINT moderation_hosts_pkey PRIMARY KEY,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- A text as it counts where one is sent again: cases, compatibility forms, blanks and what nobody sees make no other text of it. Blanks and what
-- has no width are those of Unicode (White_Space, Default_Ignorable_Code_Point, the empty pattern of Braille), by their numbers: what \s is
-- depends on the locale of the database.
CREATE FUNCTION same_text(written text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(lower(normalize(written, NFKC)),
    '[\u0009-\u000D\u0020\u0085\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F'
    '\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g');
