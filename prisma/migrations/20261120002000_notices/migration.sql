-- Mails about issues: to followers, to authors, to whom an issue is assigned. Theirs is one setting for all of them.
ALTER TABLE users ADD COLUMN issue_mails boolean NOT NULL DEFAULT true;

-- When a delivery that belongs to no effect may be taken next. Mails of accounts have none: they are tried again with their effect.
ALTER TABLE mail_deliveries ADD COLUMN due_at timestamptz(3);
-- What is unsent is found here, however many mails were sent before; the others tell how many went out lately.
CREATE INDEX mail_deliveries_open_idx ON mail_deliveries (due_at, event_id, email_id) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mail_deliveries_sent_at_idx ON mail_deliveries (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mail_deliveries_failed_at_idx ON mail_deliveries (failed_at) WHERE failed_at IS NOT NULL;

-- No mails about this issue, asked for by the link of one: it ended the follow, if there was one, and what goes to a single person, such as
-- a new assignment, is not sent either. Whoever follows again gets the mails of followers again.
CREATE TABLE issue_mutes (
  user_id       integer NOT NULL CONSTRAINT issue_mutes_user_id_fkey REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE,
  issue_id      integer NOT NULL CONSTRAINT issue_mutes_issue_id_fkey REFERENCES issues ON DELETE CASCADE ON UPDATE CASCADE,
  was_following boolean NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT issue_mutes_pkey PRIMARY KEY (user_id, issue_id)
);
CREATE INDEX issue_mutes_issue_id_idx ON issue_mutes (issue_id);

-- Addresses that strangers typed, whose owners want no mail from here. Only a hash is kept, and it stays when the claim is gone.
CREATE TABLE unwanted_addresses (
  address_hash text CONSTRAINT unwanted_addresses_pkey PRIMARY KEY,
  created_at   timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Keys that links of mails are signed with: every process has the same, and a link works for years.
CREATE TABLE signing_keys (
  name       text CONSTRAINT signing_keys_pkey PRIMARY KEY,
  key        text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
