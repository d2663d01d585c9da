-- A link that takes one change of an account's addresses back: the event is the change, the address is the one that the link went to.
ALTER TABLE one_time_tokens
  ADD COLUMN event_id bigint CONSTRAINT one_time_tokens_event_id_fkey REFERENCES events ON DELETE CASCADE ON UPDATE CASCADE,
  DROP CONSTRAINT one_time_tokens_purpose_known,
  ADD CONSTRAINT one_time_tokens_purpose_known CHECK (purpose IN ('confirm_email', 'reset_password', 'revert_email_change')),
  ADD CONSTRAINT one_time_tokens_event_of_revert CHECK ((event_id IS NOT NULL) = (purpose = 'revert_email_change'));
CREATE INDEX one_time_tokens_event_id_idx ON one_time_tokens (event_id);

-- The memberships that an account has by the confirmation of an address, so that they end where the confirmation is taken back.
CREATE TABLE claimed_memberships (
  email_id        integer NOT NULL CONSTRAINT claimed_memberships_email_id_fkey REFERENCES emails ON DELETE CASCADE ON UPDATE CASCADE,
  organization_id integer NOT NULL
    CONSTRAINT claimed_memberships_organization_id_fkey REFERENCES organizations ON DELETE CASCADE ON UPDATE CASCADE,
  role            text NOT NULL CONSTRAINT claimed_memberships_role_known CHECK (role IN ('employee', 'moderator')),
  -- The role that the account had there before; null where it had none.
  role_before     text CONSTRAINT claimed_memberships_role_before_known CHECK (role_before IN ('employee', 'moderator')),
  CONSTRAINT claimed_memberships_pkey PRIMARY KEY (email_id, organization_id)
);
CREATE INDEX claimed_memberships_organization_id_idx ON claimed_memberships (organization_id);
