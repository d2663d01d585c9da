-- The outcome of each closing, which issues.outcome repeats until the issue is reopened.
ALTER TABLE status_changes
  ADD COLUMN outcome text CONSTRAINT status_changes_outcome_known
    CHECK (outcome IN ('fixed', 'duplicate', 'passed_on', 'not_ours', 'cannot_fix', 'not_found', 'reported_fixed')),
  -- Public: the authority or company that has the issue now.
  ADD COLUMN passed_on_to text CONSTRAINT status_changes_passed_on_to_with_outcome CHECK (passed_on_to IS NULL OR outcome = 'passed_on'),
  ADD COLUMN duplicate_of_id integer REFERENCES issues ON DELETE SET NULL ON UPDATE CASCADE
    CONSTRAINT status_changes_duplicate_of_id_with_outcome CHECK (duplicate_of_id IS NULL OR outcome = 'duplicate');
CREATE INDEX status_changes_duplicate_of_id_idx ON status_changes (duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;

-- The outcome of a closing that waits for a moderator: {"outcome", "passed_on_to", "duplicate_of_id"}.
ALTER TABLE moderation_items ADD COLUMN requested_closing jsonb;
