-- A copy of a database may write an issue before its previous one (src/database/copy-database.ts).
ALTER TABLE issues ALTER CONSTRAINT issues_previous_issue_id_fkey DEFERRABLE INITIALLY IMMEDIATE;
