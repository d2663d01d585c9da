-- Texts of organisations in further languages: {"es": {"name": …}, …} of an organisation, {"es": {"title": …}} of a request type, and
-- {"es": {"question": …, "select_values": {"<key>": "<name>", …}}} of a question, which is in the language of its type.
ALTER TABLE organizations
  ADD COLUMN language text NOT NULL DEFAULT 'en',
  ADD COLUMN translations jsonb CONSTRAINT organizations_translations_object CHECK (jsonb_typeof(translations) = 'object');
ALTER TABLE request_types
  ADD COLUMN language text NOT NULL DEFAULT 'en',
  ADD COLUMN translations jsonb CONSTRAINT request_types_translations_object CHECK (jsonb_typeof(translations) = 'object');
ALTER TABLE request_type_questions
  ADD COLUMN translations jsonb CONSTRAINT request_type_questions_translations_object CHECK (jsonb_typeof(translations) = 'object');

-- Translations show wherever names do.
CREATE OR REPLACE FUNCTION after_organization_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR ST_AsBinary(OLD.area) IS DISTINCT FROM ST_AsBinary(NEW.area) THEN
    DELETE FROM area_parts a WHERE a.organization_id = NEW.id;
    INSERT INTO area_parts (organization_id, shape) SELECT NEW.id, ST_Subdivide(NEW.area, 64);
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.name, OLD.language, OLD.translations, ST_AsBinary(OLD.area))
    IS DISTINCT FROM (NEW.name, NEW.language, NEW.translations, ST_AsBinary(NEW.area)) THEN
    UPDATE organizations o SET changed_at = clock_timestamp() WHERE o.id = NEW.id;
    PERFORM renew_table_version('names');
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER organizations_after_write ON organizations;
CREATE TRIGGER organizations_after_write AFTER INSERT OR UPDATE OF name, language, translations, area ON organizations
  FOR EACH ROW EXECUTE FUNCTION after_organization_write();

CREATE OR REPLACE FUNCTION set_request_type_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  IF TG_OP = 'UPDATE' AND (NEW.title, NEW.language, NEW.translations, NEW.organization_id)
    IS DISTINCT FROM (OLD.title, OLD.language, OLD.translations, OLD.organization_id) THEN
    PERFORM renew_table_version('names');
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER request_types_before_write ON request_types;
CREATE TRIGGER request_types_before_write
  BEFORE INSERT OR UPDATE OF organization_id, title, language, translations, position, active, changed_at ON request_types
  FOR EACH ROW EXECUTE FUNCTION set_request_type_columns();

-- Answers on issues are shown in the words of the current question in each language, so its texts are names too.
CREATE OR REPLACE FUNCTION after_request_type_question_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE request_types rt SET changed_at = clock_timestamp() WHERE rt.id = coalesce(NEW.request_type_id, OLD.request_type_id);
  IF TG_OP = 'UPDATE' AND (NEW.question, NEW.select_values, NEW.translations)
    IS DISTINCT FROM (OLD.question, OLD.select_values, OLD.translations) THEN
    PERFORM renew_table_version('names');
  END IF;
  RETURN NULL;
END $$;
