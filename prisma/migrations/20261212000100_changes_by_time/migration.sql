-- The `updated_after` of Open311 asks the log by time. Rows come in the order of time, so a summary of each range of pages is enough.
CREATE INDEX past_issue_changes_changed_at_idx ON past_issue_changes USING brin (changed_at) WITH (pages_per_range = 32, autosummarize = on);
