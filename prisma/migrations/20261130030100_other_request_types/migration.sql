-- The type to which reports of an unnamed kind go, of an organisation that takes them.
ALTER TABLE request_types ADD COLUMN is_other boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX request_types_other_key ON request_types (organization_id) WHERE is_other;
