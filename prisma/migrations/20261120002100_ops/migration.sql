-- Who does the jobs of which queue. Each process writes its row every few seconds, on every kind of queue alike, and a row that is no longer
-- written tells since when there is nobody. Logged, as few as its writes are: a crash of the database that emptied it would look as if there
-- had never been anybody.
CREATE TABLE workers (
  id         uuid CONSTRAINT workers_pkey PRIMARY KEY,
  queues     text[] NOT NULL,
  host       text NOT NULL,
  process_id integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  seen_at    timestamptz(3) NOT NULL,
  -- It ended in good order.
  ended_at   timestamptz(3)
);

-- How often an effect was begun and did not come to an end, and what was last said of it, without anybody's data. After a day of that it is
-- dead: kept, and no longer tried, until somebody queues it anew.
ALTER TABLE event_effects
  ADD COLUMN failures   integer NOT NULL DEFAULT 0,
  ADD COLUMN last_error text,
  ADD COLUMN dead_at    timestamptz(3),
  ADD CONSTRAINT event_effects_one_end CHECK (done_at IS NULL OR dead_at IS NULL);
DROP INDEX event_effects_owed_idx;
CREATE INDEX event_effects_owed_idx ON event_effects (due_at, event_id, handler) WHERE done_at IS NULL AND dead_at IS NULL;
CREATE INDEX event_effects_dead_idx ON event_effects (dead_at, event_id, handler) WHERE dead_at IS NOT NULL;

-- For whoever traces a mail, or a request, through events and effects.
CREATE INDEX mail_deliveries_message_id_idx ON mail_deliveries (message_id);
CREATE INDEX events_request_id_idx ON events (request_id) WHERE request_id IS NOT NULL;
