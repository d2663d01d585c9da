-- An address with a user name and password showed them to every owner of the organisation. Messages are signed, so most receivers need none; one that
-- does refuses the messages, and its owner gets a mail after two days.
UPDATE webhooks SET url = regexp_replace(url, '^(https?:[/\\]+)[^/\\?#]*@', '\1') WHERE url ~ '^https?:[/\\]+[^/\\?#]*@';
