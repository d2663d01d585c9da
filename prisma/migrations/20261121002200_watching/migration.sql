-- A watch area is kept as it was asked for: a polygon, a circle, a box, or a place, whose boundary it has as it is now. `area` of a circle or a
-- box surrounds it, for the index and for maps; what belongs to it is decided by the numbers.
ALTER TABLE watch_areas
  ADD COLUMN kind text NOT NULL DEFAULT 'polygon'
    CONSTRAINT watch_areas_kind_known CHECK (kind IN ('polygon', 'circle', 'box', 'place')),
  ADD COLUMN place_id integer CONSTRAINT watch_areas_place_id_fkey REFERENCES places ON DELETE CASCADE ON UPDATE CASCADE,
  ADD COLUMN centre_lng double precision,
  ADD COLUMN centre_lat double precision,
  ADD COLUMN radius_m double precision,
  ADD COLUMN west double precision,
  ADD COLUMN south double precision,
  ADD COLUMN east double precision,
  ADD COLUMN north double precision,
  -- When the next daily or weekly mail is due.
  ADD COLUMN next_digest_at timestamptz(3),
  ALTER COLUMN area DROP NOT NULL,
  ADD CONSTRAINT watch_areas_whole CHECK (
    (area IS NULL) = (kind = 'place') AND (place_id IS NOT NULL) = (kind = 'place')
    AND num_nonnulls(centre_lng, centre_lat, radius_m) = CASE kind WHEN 'circle' THEN 3 ELSE 0 END
    AND num_nonnulls(west, south, east, north) = CASE kind WHEN 'box' THEN 4 ELSE 0 END);
CREATE INDEX watch_areas_place_id_idx ON watch_areas (place_id);
CREATE INDEX watch_areas_next_digest_at_idx ON watch_areas (next_digest_at) WHERE next_digest_at IS NOT NULL;

-- What happened in an area whose owner wants one mail a day or a week, until that mail is made: its event is the digest.
CREATE TABLE watch_matches (
  watch_area_id integer NOT NULL CONSTRAINT watch_matches_watch_area_id_fkey REFERENCES watch_areas ON DELETE CASCADE ON UPDATE CASCADE,
  event_id      bigint NOT NULL CONSTRAINT watch_matches_event_id_fkey REFERENCES events ON DELETE CASCADE ON UPDATE CASCADE,
  digest_id     bigint CONSTRAINT watch_matches_digest_id_fkey REFERENCES events ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT watch_matches_pkey PRIMARY KEY (watch_area_id, event_id)
);
CREATE INDEX watch_matches_event_id_idx ON watch_matches (event_id);
CREATE INDEX watch_matches_digest_id_idx ON watch_matches (digest_id);

-- The watch area that a notice is sent for; null where it goes to a follower, an author or somebody else whom the event itself names.
ALTER TABLE mail_deliveries
  ADD COLUMN watch_area_id integer CONSTRAINT mail_deliveries_watch_area_id_fkey REFERENCES watch_areas ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX mail_deliveries_watch_area_id_idx ON mail_deliveries (watch_area_id) WHERE watch_area_id IS NOT NULL;
