-- The time at which followers are asked whether a closing by staff is true; null once they were asked, and for all other changes.
ALTER TABLE status_changes ADD COLUMN ask_at timestamptz(3);
CREATE INDEX status_changes_ask_at_idx ON status_changes (ask_at, id) WHERE ask_at IS NOT NULL;

-- The answers of residents. Each person counts once for each closing.
CREATE TABLE closing_answers (
  status_change_id integer NOT NULL REFERENCES status_changes ON DELETE CASCADE ON UPDATE CASCADE,
  user_id          integer NOT NULL REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE,
  issue_id         integer NOT NULL REFERENCES issues ON DELETE CASCADE ON UPDATE CASCADE,
  is_fixed         boolean NOT NULL,
  answered_at      timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (status_change_id, user_id)
);
CREATE INDEX closing_answers_user_id_idx ON closing_answers (user_id);
CREATE INDEX closing_answers_issue_id_idx ON closing_answers (issue_id);

-- The archived issue whose problem this one reports again.
ALTER TABLE issues ADD COLUMN previous_issue_id integer REFERENCES issues ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX issues_previous_issue_id_idx ON issues (previous_issue_id) WHERE previous_issue_id IS NOT NULL;
