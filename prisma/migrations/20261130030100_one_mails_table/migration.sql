DROP TABLE mails, report_draft_mails, report_receipts;

-- A mail of an event to one address. It is leased while it is sent, outside of any transaction, and marked as sent after the mail server's
-- reply 250, or once it is written to a file. A mail is sent again, with the same Message-ID, if that reply was lost or the process could not
-- record it.
CREATE TABLE mails (
  -- The local part of the Message-ID.
  message_id       uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind             text NOT NULL CONSTRAINT mails_kind_known
    CHECK (kind IN ('account', 'draft', 'receipt', 'issue', 'question', 'watch', 'digest')),
  event_id         bigint NOT NULL REFERENCES events ON DELETE CASCADE ON UPDATE CASCADE,
  email_address_id integer REFERENCES email_addresses ON DELETE CASCADE ON UPDATE CASCADE,
  -- The address of a draft or receipt belongs to no account and is deleted once the mail is sent or has failed.
  email            text,
  locale           text,
  draft_id         integer REFERENCES report_drafts ON DELETE CASCADE ON UPDATE CASCADE,
  -- The issue of a receipt, which confirms a report.
  issue_id         integer REFERENCES issues ON DELETE CASCADE ON UPDATE CASCADE,
  -- The watch area that caused the mail; null if the recipient is a follower, an author or named by the event.
  watch_area_id    integer REFERENCES watch_areas ON DELETE SET NULL ON UPDATE CASCADE,
  -- Number of leases, without those released before the mail was sent.
  attempts         integer NOT NULL DEFAULT 0,
  -- Time of the next attempt. A lease moves it to its end, so another worker takes the mail only after that time.
  due_at           timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- The same time while the mail is leased, else null.
  leased_until     timestamptz(3),
  sent_at          timestamptz(3),
  -- Time at which the mail was given up: the server refused it, or it was cancelled because it is no longer wanted.
  failed_at        timestamptz(3),
  -- The last reply of the mail server without the address, the error of a connection, or the reason of a cancellation.
  reply            text,
  CONSTRAINT mails_sent_or_failed CHECK (sent_at IS NULL OR failed_at IS NULL),
  CONSTRAINT mails_address CHECK (email_address_id IS NOT NULL OR (email IS NULL) = (sent_at IS NOT NULL OR failed_at IS NOT NULL))
);
CREATE UNIQUE INDEX mails_event_id_email_address_id_key ON mails (event_id, email_address_id);
CREATE INDEX mails_email_address_id_idx ON mails (email_address_id);
CREATE INDEX mails_draft_id_idx ON mails (draft_id) WHERE draft_id IS NOT NULL;
CREATE INDEX mails_issue_id_idx ON mails (issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX mails_watch_area_id_idx ON mails (watch_area_id) WHERE watch_area_id IS NOT NULL;
-- Mails that users wait for have an index of their own, so that notifications do not delay them.
CREATE INDEX mails_awaited_idx ON mails (due_at, event_id, email_address_id)
  WHERE sent_at IS NULL AND failed_at IS NULL AND kind IN ('account', 'draft', 'receipt');
CREATE INDEX mails_pending_idx ON mails (due_at, event_id, email_address_id) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_sent_at_idx ON mails (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mails_failed_at_idx ON mails (failed_at) WHERE failed_at IS NOT NULL;
