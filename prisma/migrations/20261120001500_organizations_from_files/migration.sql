-- A question that is asked no more stays for the answers that were given to it.
ALTER TABLE request_type_questions ADD COLUMN active boolean NOT NULL DEFAULT true;
CREATE UNIQUE INDEX request_type_questions_request_type_id_built_in_key ON request_type_questions (request_type_id, built_in);

-- Who is to work for an organisation, by an address that nobody has confirmed yet. Anybody may claim an address, so it gives nothing until
-- its owner confirms it (src/organizations/queries.ts).
CREATE TABLE pending_memberships (
  organization_id integer NOT NULL
    CONSTRAINT pending_memberships_organization_id_fkey REFERENCES organizations ON DELETE CASCADE ON UPDATE CASCADE,
  email           text NOT NULL CONSTRAINT pending_memberships_email_lower CHECK (email = lower(email)),
  role            text NOT NULL DEFAULT 'employee'
    CONSTRAINT pending_memberships_role_known CHECK (role IN ('employee', 'moderator')),
  created_at      timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT pending_memberships_pkey PRIMARY KEY (organization_id, email)
);
CREATE INDEX pending_memberships_email_idx ON pending_memberships (email);
