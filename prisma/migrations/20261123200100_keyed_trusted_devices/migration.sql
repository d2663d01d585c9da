-- Marks are keyed hashes from now on (src/http/familiar-clients.ts). The former ones cannot be turned into keyed ones; clients become
-- familiar again with their next right password.
DELETE FROM familiar_clients;

-- For the daily job that removes what was not seen for ninety days.
CREATE INDEX familiar_clients_seen_at_idx ON familiar_clients (seen_at);
