-- A mail of an event to one address. It is leased while it is being sent, outside of any transaction, and marked as sent after the mail
-- server's 250; it goes twice only where that 250 was lost, and then under the same Message-ID. An event may have many recipients.
CREATE TABLE mail_deliveries (
  event_id     bigint NOT NULL CONSTRAINT mail_deliveries_event_id_fkey REFERENCES events ON DELETE CASCADE ON UPDATE CASCADE,
  email_id     integer NOT NULL CONSTRAINT mail_deliveries_email_id_fkey REFERENCES emails ON DELETE CASCADE ON UPDATE CASCADE,
  -- The left side of the Message-ID.
  message_id   uuid NOT NULL DEFAULT gen_random_uuid(),
  tries        integer NOT NULL DEFAULT 0,
  leased_until timestamptz(3),
  sent_at      timestamptz(3),
  failed_at    timestamptz(3),
  -- The last words of the mail server, without the address.
  answer       text,
  CONSTRAINT mail_deliveries_pkey PRIMARY KEY (event_id, email_id),
  CONSTRAINT mail_deliveries_one_end CHECK (sent_at IS NULL OR failed_at IS NULL)
);
CREATE INDEX mail_deliveries_email_id_idx ON mail_deliveries (email_id);

-- How many mails were asked for within an hour, under a hash of the address or the id of the account. In the database, and not beside the
-- rate limit: it must hold in every process and over every restart.
CREATE TABLE mail_limits (
  key   text CONSTRAINT mail_limits_pkey PRIMARY KEY,
  count integer NOT NULL,
  until timestamptz(3) NOT NULL
);
CREATE INDEX mail_limits_until_idx ON mail_limits (until);
