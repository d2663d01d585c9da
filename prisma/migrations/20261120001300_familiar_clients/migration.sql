-- Where the password of an account was right lately, so that whoever is there is not kept out while others guess (src/http/tries.ts).
-- A mark is the hash of the account's id with an address, or with what a browser was given.
CREATE TABLE familiar_clients (
  user_id integer NOT NULL CONSTRAINT familiar_clients_user_id_fkey REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE,
  mark    text NOT NULL,
  seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT familiar_clients_pkey PRIMARY KEY (user_id, mark)
);
