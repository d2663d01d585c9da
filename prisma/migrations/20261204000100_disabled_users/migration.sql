-- The account of a person who left or was blocked: it cannot log in and gets no notifications, and what it wrote stays.
ALTER TABLE users ADD COLUMN disabled_at timestamptz(3);
