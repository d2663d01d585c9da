import { join, type Sql, sql, type Transaction } from '../database/database.ts'
import { centre } from '../geo/area.ts'
import { NO_LONGER_WANTED } from '../mail/queries.ts'
import { longitudesOf } from '../geo/box.ts'
import { surroundingRing } from '../geo/circle.ts'
import { multiPolygon } from '../geo/polygon.ts'
import { centreOfWatched, type WatchedArea } from './area-input.ts'
import { type Frequency, nextDigestAt } from './digest-times.ts'
import { watchedColumns } from './queries.ts'
import type { About } from './schema.ts'
import { areaOfRow, type WatchedRow } from './stored-area.ts'

/** Enough for a life, few enough for one page of mails to be read. */
export const AREAS_MAX = 50

export interface WatchSettings {
  readonly name: string | null
  readonly frequency: Frequency
  readonly about: About
}

export interface NewWatchAreaRow extends WatchSettings {
  readonly user_id: number
  readonly watcher_token: string
  readonly watched: WatchedArea
  /** Undefined takes the user's own. */
  readonly locale: string | undefined
  readonly at: Date
}

/**
 * Adds a watch area. The owner is locked, so that two of theirs are made one after the other.
 * @returns its id; `gone` where the account is, `too many` where they have as many as they may
 */
export async function addWatchArea(tx: Transaction, row: NewWatchAreaRow): Promise<number | 'gone' | 'too many'> {
  const [owner] = await tx.query<{ locale: string }>(sql`
    SELECT u.locale FROM users u WHERE u.id = ${row.user_id} FOR NO KEY UPDATE`)
  if (!owner) return 'gone'
  const { name, frequency, about, watched, at } = row
  const due = nextDigestAt({ frequency, at, lng: centreOfWatched(watched).lng })
  const [added] = await tx.query<{ id: number }>(sql`
    INSERT INTO watch_areas (
      user_id, watcher_token, name, frequency, about, locale, next_digest_at, created_at, updated_at, ${definedColumns})
    SELECT ${row.user_id}, ${row.watcher_token}, ${name}, ${frequency}, ${about}, ${row.locale ?? owner.locale},
      ${due?.toISOString() ?? null}::timestamptz, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz, ${definition(watched)}
    WHERE (SELECT count(*) FROM watch_areas w WHERE w.user_id = ${row.user_id}) < ${AREAS_MAX}
    RETURNING watch_areas.id`)
  return added?.id ?? 'too many'
}

export interface WatchAreaChanges {
  readonly name?: string | null | undefined
  readonly frequency?: Frequency | undefined
  readonly about?: About | undefined
  readonly locale?: string | undefined
  readonly watched?: WatchedArea | undefined
}

interface Owned {
  readonly id: number
  readonly user_id: number
}

/**
 * Changes what is given. Who wants no more digests gets none of what was gathered for the next one; another rhythm or another place moves
 * the hour of it. False where the user has no such area.
 */
export async function changeWatchArea(
  tx: Transaction,
  { id, user_id }: Owned,
  changes: WatchAreaChanges,
  at: Date,
): Promise<boolean> {
  const [found] = await tx.query<WatchSettings & WatchedRow & { locale: string; next_digest_at: string | null }>(sql`
    SELECT w.id, w.name, w.frequency, w.about, w.locale, w.next_digest_at, ${watchedColumns}
    FROM (SELECT l.* FROM watch_areas l WHERE l.id = ${id} AND l.user_id = ${user_id} FOR NO KEY UPDATE) w
    LEFT JOIN places p ON p.id = w.place_id`)
  if (!found) return false
  const { watched } = changes
  const next = { ...found, ...given(changes) }
  const isSameHour = next.frequency === found.frequency && watched === undefined
  const lng = watched ? centreOfWatched(watched).lng : (centre(areaOfRow(found))?.lng ?? 0)
  const due = isSameHour ? found.next_digest_at : (nextDigestAt({ frequency: next.frequency, at, lng })?.toISOString() ?? null)
  await tx.query(sql`
    UPDATE watch_areas
    SET name = ${next.name}, frequency = ${next.frequency}, about = ${next.about}, locale = ${next.locale},
      frequency_before = ${frequencyBefore(found.frequency, changes.frequency)},
      next_digest_at = ${due}::timestamptz, updated_at = ${at.toISOString()}::timestamptz
      ${watched ? sql`, (${definedColumns}) = ROW(${definition(watched)})` : sql``}
    WHERE watch_areas.id = ${id}
    RETURNING watch_areas.id`)
  if (found.frequency === 'instant' && due !== null) await keepForDigest(tx, id)
  if (due === null)
    await tx.query(sql`DELETE FROM watch_matches m WHERE m.watch_area_id = ${id} AND m.digest_id IS NULL RETURNING m.event_id`)
  return true
}

/** What the link of an old mail gives back: the rhythm that ended last, whoever ended it; nothing where mails come again. */
function frequencyBefore(was: Frequency, wanted: Frequency | undefined): Sql {
  if (wanted === undefined || (wanted === 'never' && was === 'never')) return sql`watch_areas.frequency_before`
  return wanted === 'never' ? sql`${was}` : sql`NULL`
}

/**
 * What is not sent yet, because the mail server is away, is told by the first digest. What is being sent in this moment stays a mail of its
 * own; only where that fails now, nobody tells it.
 */
async function keepForDigest(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`
    WITH open AS (
      UPDATE mail_deliveries d SET failed_at = now(), answer = ${NO_LONGER_WANTED}
      WHERE d.watch_area_id = ${id} AND d.sent_at IS NULL AND d.failed_at IS NULL AND (d.leased_until IS NULL OR d.leased_until < now())
      RETURNING d.event_id)
    INSERT INTO watch_matches (watch_area_id, event_id)
    SELECT ${id}, o.event_id FROM open o ORDER BY o.event_id
    ON CONFLICT DO NOTHING
    RETURNING watch_matches.event_id`)
}

const given = ({ watched: _, ...changes }: WatchAreaChanges): Partial<WatchSettings & { locale: string }> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

/** Another token: the former one opens nothing from the commit on. False where the user has no such area. */
export async function renewToken(tx: Transaction, { id, user_id }: Owned, watcher_token: string, at: Date): Promise<boolean> {
  const renewed = await tx.query(sql`
    UPDATE watch_areas SET watcher_token = ${watcher_token}, updated_at = ${at.toISOString()}::timestamptz
    WHERE watch_areas.id = ${id} AND watch_areas.user_id = ${user_id} RETURNING watch_areas.id`)
  return renewed.length > 0
}

/** Its token opens nothing from the commit on, and no mail of it is sent any more. False where the user has no such area. */
export async function removeWatchArea(tx: Transaction, { id, user_id }: Owned): Promise<boolean> {
  const [found] = await tx.query(sql`
    SELECT w.id FROM watch_areas w WHERE w.id = ${id} AND w.user_id = ${user_id} FOR UPDATE`)
  if (!found) return false
  await tx.query(sql`
    DELETE FROM mail_deliveries d
    WHERE d.watch_area_id = ${id} AND d.sent_at IS NULL AND d.failed_at IS NULL RETURNING d.event_id`)
  await tx.query(sql`DELETE FROM watch_areas WHERE watch_areas.id = ${id} RETURNING watch_areas.id`)
  return true
}

const definedColumns = sql`kind, place_id, centre_lng, centre_lat, radius_m, west, south, east, north, area`

/** The values of `definedColumns`: the numbers of its kind, and a shape around it for the index. */
function definition(watched: WatchedArea): Sql {
  const circle = watched.kind === 'circle' ? watched : undefined
  const box = watched.kind === 'box' ? watched.box : undefined
  const numbers = [circle?.centre.lng, circle?.centre.lat, circle?.radius_m, box?.west, box?.south, box?.east, box?.north]
  const placeId = watched.kind === 'place' ? watched.placeId : null
  return sql`${watched.kind}::text, ${placeId}::integer,
    ${join(numbers.map((number) => sql`${number ?? null}::double precision`))}, ${shapeAround(watched)}`
}

/** The index has single precision and a shape must have an area: a box is kept a little larger, and its numbers decide. */
const MARGIN = 1e-5

/** A shape that holds what is watched, for the index and for maps; a place has its own. */
function shapeAround(watched: WatchedArea): Sql {
  switch (watched.kind) {
    case 'place':
      return sql`NULL::geometry(MultiPolygon, 4326)`
    case 'polygon':
      return sql`ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${watched.geojson}), 4326))`
    case 'circle': {
      const ring = multiPolygon([[surroundingRing(watched.centre, watched.radius_m)]])
      const shape = sql`ST_SetSRID(ST_GeomFromGeoJSON(${ring}), 4326)`
      return polygonsOf(sql`ST_WrapX(ST_WrapX(${shape}, 180, -360), -180, 360)`)
    }
    case 'box': {
      const { south, north } = watched.box
      const parts = longitudesOf(watched.box).map(
        ([west, east]) => sql`ST_MakeEnvelope(
          ${Math.max(west - MARGIN, -180)}, ${Math.max(south - MARGIN, -90)},
          ${Math.min(east + MARGIN, 180)}, ${Math.min(north + MARGIN, 90)}, 4326)`,
      )
      return polygonsOf(sql`ST_Union(ARRAY[${join(parts)}])`)
    }
  }
}

const polygonsOf = (shape: Sql): Sql => sql`ST_Multi(ST_CollectionExtract(ST_MakeValid(${shape}), 3))`
