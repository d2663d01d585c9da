-- Null for issues that were reported before this column; older imports have an import_key.
ALTER TABLE issues ADD COLUMN source text CONSTRAINT issues_source_known CHECK (source IN ('web', 'api', 'open311', 'import'));

-- The id of the place in the system of its publisher, such as a GEOID of the US Census.
ALTER TABLE places ADD COLUMN external_id text;

CREATE OR REPLACE FUNCTION place_visibly_changed(o places, n places) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (o.id, o.name, o.url_name, o.place_type, o.county, o.state, ST_AsBinary(o.boundary), o.center_lng, o.center_lat, o.area_m2, o.external_id)
    IS DISTINCT FROM
    (n.id, n.name, n.url_name, n.place_type, n.county, n.state, ST_AsBinary(n.boundary), n.center_lng, n.center_lat, n.area_m2, n.external_id)
$$;
