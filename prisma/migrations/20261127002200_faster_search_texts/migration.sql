-- Returns the same text as before. translate() compared every letter with all 32 characters, for each issue twice.
CREATE OR REPLACE FUNCTION search_text(summary text, description text, address text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN regexp_replace(left(summary || ' ' || coalesce(description, '') || ' ' || coalesce(address, ''), 100000),
    '[][!"#$%&''()*+,./:;<=>?@\\^_`{|}~-]', ' ', 'g');
