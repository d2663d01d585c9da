-- The address to which the link of a draft was mailed: its owner publishes the draft by the link. NULL for the secret of a browser.
ALTER TABLE report_draft_links ADD COLUMN email text;
