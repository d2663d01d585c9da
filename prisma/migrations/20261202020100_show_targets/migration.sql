ALTER TABLE organizations ADD COLUMN shows_targets boolean NOT NULL DEFAULT false;
