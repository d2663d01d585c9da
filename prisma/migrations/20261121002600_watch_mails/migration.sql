-- How often mails came before the link of one ended them: undoing that gives it back.
ALTER TABLE watch_areas ADD COLUMN frequency_before text
  CONSTRAINT watch_areas_frequency_before_known CHECK (frequency_before IN ('instant', 'daily', 'weekly'));
