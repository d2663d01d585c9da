-- What was answered to a POST with an Idempotency-Key, for as long as it is given again. `scope` is a hash of caller, method, path and
-- key, `fingerprint` one of what was sent. Whoever answers is the `holder` until the lease ends. The `receipt` is written in the
-- transaction of the change itself: where it stands, the change is made, even if nobody came to keep the answer.
CREATE TABLE idempotency_keys (
  scope        text CONSTRAINT idempotency_keys_pkey PRIMARY KEY,
  fingerprint  text NOT NULL,
  holder       uuid NOT NULL,
  leased_until timestamptz(3) NOT NULL,
  receipt      jsonb,
  status       smallint,
  headers      jsonb,
  body         text,
  created_at   timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT idempotency_keys_answer_check CHECK ((status IS NULL) = (headers IS NULL) AND (status IS NOT NULL OR body IS NULL))
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
