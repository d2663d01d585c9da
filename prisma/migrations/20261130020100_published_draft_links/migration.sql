-- The address to which the draft was last mailed, which its page shows.
ALTER TABLE report_drafts ADD COLUMN email text;

-- A mailed link is valid for seven days. It publishes its draft, and afterwards has the issue instead of the draft and the address.
ALTER TABLE report_draft_links
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN issue_id integer REFERENCES issues ON DELETE CASCADE ON UPDATE CASCADE,
  ALTER COLUMN draft_id DROP NOT NULL;
CREATE INDEX report_draft_links_issue_id_idx ON report_draft_links (issue_id);
CREATE INDEX report_draft_links_expires_at_idx ON report_draft_links (expires_at);
