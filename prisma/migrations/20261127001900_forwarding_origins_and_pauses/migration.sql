-- The issues of other services through which an Open311 report came, so that it is never sent back to them.
CREATE TABLE report_origins (
  issue_id  integer PRIMARY KEY REFERENCES issues ON DELETE CASCADE ON UPDATE CASCADE,
  -- Addresses of issues, the sender's own first.
  addresses text[] NOT NULL
);

-- The endpoint asked for a pause until this time. Nothing is sent to it meanwhile.
ALTER TABLE forwarding_endpoints ADD COLUMN paused_until timestamptz(3);
