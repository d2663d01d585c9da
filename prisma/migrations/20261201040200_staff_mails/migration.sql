ALTER TABLE organizations
  -- A mail about each new report is sent here. Only its staff may see the address.
  ADD COLUMN inbox_email text,
  -- Time of the next daily mail to its members; null until the job has computed it.
  ADD COLUMN daily_mail_at timestamptz(3);

-- Members get the daily mail of the organisation unless they turn it off.
ALTER TABLE organization_members ADD COLUMN daily_mail boolean NOT NULL DEFAULT true;

-- An event has at most one mail to an inbox.
CREATE UNIQUE INDEX mails_inbox_key ON mails (event_id) WHERE kind = 'inbox';
