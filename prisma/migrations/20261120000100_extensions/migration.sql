-- PostGIS holds the geography; pg_trgm finds words like a mistyped one; unaccent lets "café" be found as "cafe".
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
