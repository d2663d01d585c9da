-- The stored responses of an account are deleted with it. Only the id tells whose they are.
ALTER TABLE idempotency_keys ADD COLUMN user_id integer;
