-- For the daily job that empties the device fields of old reports and comments (docs/retention.md): it finds only rows that have any.
CREATE INDEX issues_device_fields_idx ON issues (created_at) WHERE device_id IS NOT NULL OR device_os IS NOT NULL OR device_name IS NOT NULL;
CREATE INDEX comments_device_id_idx ON comments (created_at) WHERE device_id IS NOT NULL;
