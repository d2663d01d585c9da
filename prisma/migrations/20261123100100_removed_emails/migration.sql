-- A removed address keeps its row for some weeks: security mails go to it, and its removal may be taken back (src/emails/changes.ts).
-- Meanwhile it is neither confirmed nor a claim: it logs in to no account and keeps the address from no other one.
ALTER TABLE emails
  ADD COLUMN removed_at timestamptz(3),
  -- When a removed address had been confirmed; null where it never was.
  ADD COLUMN removed_confirmed_at timestamptz(3),
  ADD CONSTRAINT emails_removed_not_confirmed CHECK (removed_at IS NULL OR confirmed_at IS NULL),
  ADD CONSTRAINT emails_removed_confirmed_at_removed CHECK (removed_at IS NOT NULL OR removed_confirmed_at IS NULL);
DROP INDEX emails_user_id_email_key;
CREATE UNIQUE INDEX emails_user_id_email_key ON emails (user_id, lower(email)) WHERE removed_at IS NULL;
CREATE INDEX emails_removed_at_idx ON emails (removed_at) WHERE removed_at IS NOT NULL;
