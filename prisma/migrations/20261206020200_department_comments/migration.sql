-- The organisation for which an official wrote. It is public in the place of the official unless the organisation shows its people.
ALTER TABLE comments ADD COLUMN organization_id integer REFERENCES organizations ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX comments_organization_id_idx ON comments (organization_id);

-- Officials wrote for their organisation on its issues and on those of the community.
UPDATE comments c SET organization_id = wrote.organization_id
FROM (
  SELECT comment.id, min(m.organization_id) AS organization_id
  FROM comments comment
  JOIN users u ON u.id = comment.commenter_id AND u.role = 'Verified Official'
  JOIN issues i ON i.id = comment.issue_id
  LEFT JOIN request_types rt ON rt.id = i.request_type_id AND NOT rt.is_other
  JOIN organization_members m ON m.user_id = u.id AND m.role IN ('employee', 'manager', 'owner')
    AND m.organization_id = coalesce(rt.organization_id, m.organization_id)
  GROUP BY comment.id) wrote
WHERE wrote.id = c.id;

-- The setting `shows_people` changes what is public, as the name does.
CREATE OR REPLACE FUNCTION after_organization_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area) THEN
    DELETE FROM area_parts a WHERE a.organization_id = NEW.id;
    INSERT INTO area_parts (organization_id, shape) SELECT NEW.id, ST_Subdivide(NEW.area, 64);
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.name, OLD.language, OLD.translations, OLD.shows_people, ST_AsBinary(OLD.area))
    IS DISTINCT FROM (NEW.name, NEW.language, NEW.translations, NEW.shows_people, ST_AsBinary(NEW.area)) THEN
    UPDATE organizations o SET changed_at = clock_timestamp() WHERE o.id = NEW.id;
    PERFORM renew_table_version('names');
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER organizations_after_write ON organizations;
CREATE TRIGGER organizations_after_write AFTER INSERT OR UPDATE OF name, language, translations, shows_people, area ON organizations
  FOR EACH ROW EXECUTE FUNCTION after_organization_write();
