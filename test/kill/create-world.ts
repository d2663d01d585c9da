import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { hashToken, newToken } from '../../src/http/identity/credentials.ts'

export interface Person {
  readonly id: number
  readonly token: string
  readonly isEmployee: boolean
}

export interface World {
  readonly people: readonly Person[]
  readonly issues: readonly { readonly id: number; readonly reporter: number }[]
}

export const CENTER = { lng: -104.99, lat: 39.74 }
/** Id of a request type whose issues are forwarded. */
export const FORWARDED_TYPE = 1
const EMPLOYEES = 4
const LOCALES = ['en', 'es', 'fr']

/**
 * Creates users with an address each, one in ten unconfirmed, and issues of theirs. The first users work for an organisation, which
 * forwards the issues of its request type to the endpoint.
 */
export async function createWorld(
  db: PostgresDatabase,
  size: { readonly people: number; readonly issues: number },
  endpointUrl: string,
): Promise<World> {
  const tokens = Array.from({ length: size.people }, newToken)
  await db.executeScript(`
    INSERT INTO users (id, name, locale)
    SELECT n, 'Resident ' || n, (ARRAY['${LOCALES.join("','")}'])[1 + n % ${LOCALES.length}] FROM generate_series(1, ${size.people}) n;
    INSERT INTO email_addresses (user_id, email, confirmed_at)
    SELECT n, 'resident-' || n || '@example.org', CASE WHEN n % 10 <> 0 THEN now() END FROM generate_series(1, ${size.people}) n;
    INSERT INTO organizations (name, area) VALUES
      ('Public Works', ST_Multi(ST_MakeEnvelope(${CENTER.lng} - 1, ${CENTER.lat} - 1, ${CENTER.lng} + 1, ${CENTER.lat} + 1, 4326)));
    INSERT INTO request_types (id, title, organization_id) SELECT ${FORWARDED_TYPE}, 'Pothole', o.id FROM organizations o;
    INSERT INTO forwarding_endpoints (organization_id, url, format, default_service_code, sends_reports, sends_updates, receives_updates, extended_statuses, shared)
    SELECT o.id, '${endpointUrl}', 'json', '001', true, true, false, true, '{}' FROM organizations o;
    INSERT INTO target_rules (organization_id, close_hours) SELECT o.id, 40 FROM organizations o;
    INSERT INTO organization_members (organization_id, user_id) SELECT o.id, n FROM organizations o, generate_series(1, ${EMPLOYEES}) n;
    INSERT INTO issues (id, summary, lng, lat, reporter_id, created_at, updated_at)
    SELECT n, 'Planted issue ' || n, ${CENTER.lng}, ${CENTER.lat}, 1 + (n - 1) % ${size.people}, now() - interval '1 day', now() - interval '1 day'
    FROM generate_series(1, ${size.issues}) n;
    INSERT INTO status_changes (issue_id, actor_id, to_status, created_at) SELECT i.id, i.reporter_id, 'Open', i.created_at FROM issues i;
    INSERT INTO follows (issue_id, user_id, created_at) SELECT i.id, i.reporter_id, i.created_at FROM issues i;
    UPDATE users u SET civic_points = 10 * (SELECT count(*) FROM issues i WHERE i.reporter_id = u.id);
    SELECT setval(pg_get_serial_sequence('users', 'id'), ${size.people}), setval(pg_get_serial_sequence('issues', 'id'), ${size.issues});`)
  await db.execute(sql`
    INSERT INTO tokens (user_id, token_hash)
    SELECT t.user_id, t.hash FROM unnest(${tokens.map(hashToken)}::text[]) WITH ORDINALITY AS t (hash, user_id)
    RETURNING tokens.id`)
  return {
    people: tokens.map((token, n) => ({ id: n + 1, token, isEmployee: n < EMPLOYEES })),
    issues: Array.from({ length: size.issues }, (_, n) => ({ id: n + 1, reporter: 1 + (n % size.people) })),
  }
}
