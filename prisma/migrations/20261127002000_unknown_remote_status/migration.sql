-- A status at the endpoint is unknown while a change is sent, and after the endpoint has refused one. Each poll reads the unknown ones.
CREATE INDEX forwarded_issues_unknown_status_idx ON forwarded_issues (organization_id)
  WHERE remote_status IS NULL AND service_request_id IS NOT NULL;
