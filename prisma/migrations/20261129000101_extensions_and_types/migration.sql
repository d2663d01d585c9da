-- Coordinates are WGS84 (EPSG 4326), longitude first. Sizes of cells and boxes are in degrees.

CREATE EXTENSION IF NOT EXISTS postgis;
-- btree_gist allows an index on an id and a shape (area_parts).
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE TYPE user_role AS ENUM ('Registered User', 'Verified Official', 'Admin', 'Guest');
CREATE TYPE token_kind AS ENUM ('token', 'session');
CREATE TYPE token_purpose AS ENUM ('confirm_email', 'reset_password', 'revert_email_change');
CREATE TYPE member_role AS ENUM ('employee', 'moderator');
CREATE TYPE question_type AS ENUM ('text', 'textarea', 'select', 'multivaluelist', 'number', 'datetime', 'boolean', 'note', 'file');
CREATE TYPE built_in_question AS ENUM ('summary', 'description', 'issue_image', 'offensive');
CREATE TYPE watch_area_kind AS ENUM ('polygon', 'circle', 'box', 'place');
CREATE TYPE watch_frequency AS ENUM ('instant', 'daily', 'weekly', 'never');
CREATE TYPE watch_about AS ENUM ('new', 'updates', 'all');
CREATE TYPE issue_status AS ENUM ('Open', 'Acknowledged', 'Closed', 'Archived');

-- Only 'passed' is public: approved by a moderator or never reviewed. 'held' is pending review; the API marks it with `moderated: true`.
CREATE TYPE moderation_state AS ENUM ('passed', 'held', 'rejected');
CREATE TYPE moderated_subject AS ENUM ('issue', 'comment', 'question', 'answer', 'user');
CREATE TYPE moderation_item_state AS ENUM ('held', 'approved', 'rejected');
CREATE TYPE issue_transition AS ENUM ('open', 'close', 'acknowledge');
