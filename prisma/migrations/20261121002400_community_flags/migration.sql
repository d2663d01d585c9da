-- Questions and answers are flagged as issues and comments are.
ALTER TABLE flags
  ADD COLUMN question_id integer CONSTRAINT flags_question_id_fkey REFERENCES questions ON DELETE CASCADE ON UPDATE CASCADE,
  ADD COLUMN answer_id integer CONSTRAINT flags_answer_id_fkey REFERENCES answers ON DELETE CASCADE ON UPDATE CASCADE,
  DROP CONSTRAINT flags_one_subject,
  ADD CONSTRAINT flags_one_subject CHECK (num_nonnulls(issue_id, comment_id, question_id, answer_id) = 1);
CREATE UNIQUE INDEX flags_question_id_user_id_key ON flags (question_id, user_id);
CREATE UNIQUE INDEX flags_answer_id_user_id_key ON flags (answer_id, user_id);

-- No mails about this question and its answers, asked for by the link of one.
CREATE TABLE question_mutes (
  user_id     integer NOT NULL CONSTRAINT question_mutes_user_id_fkey REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE,
  question_id integer NOT NULL CONSTRAINT question_mutes_question_id_fkey REFERENCES questions ON DELETE CASCADE ON UPDATE CASCADE,
  created_at  timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT question_mutes_pkey PRIMARY KEY (user_id, question_id)
);
CREATE INDEX question_mutes_question_id_idx ON question_mutes (question_id);
