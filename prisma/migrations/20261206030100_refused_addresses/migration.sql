-- Addresses whose mail servers refused mails for good. After two, the address gets no notifications until it is confirmed again.
ALTER TABLE email_addresses ADD COLUMN hard_refusals integer NOT NULL DEFAULT 0, ADD COLUMN refused_at timestamptz(3);
