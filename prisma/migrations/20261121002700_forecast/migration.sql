-- The forecast of mails asks what was said in the last ninety days, of areas up to the whole world.
CREATE INDEX comments_created_at_idx ON comments (created_at) WHERE moderation_state = 'passed';
