-- An effect is owed from the commit of its event on, and paid in the transaction of the effect itself. What is owed and due is
-- looked for every few seconds, however many events there have been: the partial index holds what is owed alone.
ALTER TABLE event_effects
  ALTER COLUMN done_at DROP NOT NULL,
  ALTER COLUMN done_at DROP DEFAULT,
  ADD COLUMN tries  integer NOT NULL DEFAULT 0,
  ADD COLUMN due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
CREATE INDEX event_effects_owed_idx ON event_effects (due_at, event_id, handler) WHERE done_at IS NULL;
