ALTER TABLE issue_transfers DROP CONSTRAINT issue_transfers_state_known;
ALTER TABLE issue_transfers ADD CONSTRAINT issue_transfers_state_known
  CHECK (state IN ('offered', 'accepted', 'refused', 'withdrawn', 'ended'));
