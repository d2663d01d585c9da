-- The name and the avatar of a user can be flagged and are then decided like other content.
ALTER TYPE moderated_subject ADD VALUE 'user';

ALTER TABLE flags ADD COLUMN flagged_user_id integer REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE flags DROP CONSTRAINT flags_one_subject;
ALTER TABLE flags ADD CONSTRAINT flags_one_subject CHECK (num_nonnulls(issue_id, comment_id, question_id, answer_id, flagged_user_id) = 1);
CREATE UNIQUE INDEX flags_flagged_user_id_user_id_key ON flags (flagged_user_id, user_id);
