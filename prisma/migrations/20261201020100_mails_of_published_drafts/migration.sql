-- After the publication, all secrets and links of a draft lead to its issue. A mailed link keeps the id of the draft, by which its mail names pictures.
ALTER TABLE report_draft_links ADD COLUMN published_draft_id integer;
CREATE INDEX report_draft_links_published_draft_id_idx ON report_draft_links (published_draft_id);
