import Type from 'typebox'

import { IdRow, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { join, type Sql, sql, type Transaction } from '../database/database.ts'
import { centre } from '../geo/area.ts'
import { CANCELLED_REPLY } from '../mail/rules.ts'
import { longitudeRanges } from '../geo/box.ts'
import { circumscribedPolygon } from '../geo/circle.ts'
import { watchedAreaCentre, type WatchedArea } from './area-input.ts'
import { type Frequency, frequencies, nextDigestAt } from './digest-times.ts'
import { storedAreaColumns } from './queries.ts'
import { type About, watchTopics } from './schema.ts'
import { rowToArea, StoredAreaRow } from './stored-area.ts'

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
  readonly locale: string | undefined
  readonly at: Date
}

const OwnerRow = Type.Object({ locale: Type.String() })

/** Returns `too many` at the maximum. The row of the owner is locked, so that concurrent requests cannot exceed it. */
export async function addWatchArea(tx: Transaction, row: NewWatchAreaRow): Promise<number | 'account deleted' | 'too many'> {
  const [owner] = await tx.query(sql.type(OwnerRow)`
    SELECT u.locale FROM users u WHERE u.id = ${row.user_id} FOR NO KEY UPDATE`)
  if (!owner) return 'account deleted'
  const { name, frequency, about, watched, at } = row
  const dueAt = nextDigestAt({ frequency, at, lng: watchedAreaCentre(watched).lng })
  const [added] = await tx.query(sql.type(IdRow)`
    INSERT INTO watch_areas (
      user_id, watcher_token, name, frequency, about, locale, next_digest_at, created_at, updated_at, ${definitionColumns})
    SELECT ${row.user_id}, ${row.watcher_token}, ${name}, ${frequency}, ${about}, ${row.locale ?? owner.locale},
      ${dueAt?.toISOString() ?? null}::timestamptz, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz, ${definitionValues(watched)}
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

interface OwnedArea {
  readonly id: number
  readonly user_id: number
}

const ChangedRow = Type.Object({
  ...StoredAreaRow.properties,
  name: nullable(Type.String()),
  frequency: stringEnum(frequencies),
  about: stringEnum(watchTopics),
  locale: Type.String(),
  next_digest_at: nullable(Timestamp),
})

/** Returns false if there is no such area. Without digests the stored matches are deleted; other changes may move the due time. */
export async function changeWatchArea(
  tx: Transaction,
  { id, user_id }: OwnedArea,
  changes: WatchAreaChanges,
  at: Date,
): Promise<boolean> {
  const [found] = await tx.query(sql.type(ChangedRow)`
    SELECT w.id, w.name, w.frequency, w.about, w.locale, w.next_digest_at, ${storedAreaColumns}
    FROM (SELECT l.* FROM watch_areas l WHERE l.id = ${id} AND l.user_id = ${user_id} FOR NO KEY UPDATE) w
    LEFT JOIN places p ON p.id = w.place_id`)
  if (!found) return false
  const { watched } = changes
  const next = { ...found, ...presentSettings(changes) }
  const isDueTimeSame = next.frequency === found.frequency && watched === undefined
  const lng = watched ? watchedAreaCentre(watched).lng : (centre(rowToArea(found))?.lng ?? 0)
  const dueAt = isDueTimeSame ? found.next_digest_at : (nextDigestAt({ frequency: next.frequency, at, lng })?.toISOString() ?? null)
  await tx.execute(sql`
    UPDATE watch_areas
    SET name = ${next.name}, frequency = ${next.frequency}, about = ${next.about}, locale = ${next.locale},
      frequency_before = ${frequencyBefore(found.frequency, changes.frequency)},
      next_digest_at = ${dueAt}::timestamptz, updated_at = ${at.toISOString()}::timestamptz
      ${watched ? sql`, (${definitionColumns}) = ROW(${definitionValues(watched)})` : sql``}
    WHERE watch_areas.id = ${id}`)
  if (found.frequency === 'instant' && dueAt !== null) await moveMailsToDigest(tx, id)
  if (dueAt === null) await tx.prisma.watchMatch.deleteMany({ where: { watch_area_id: id, digest_id: null } })
  return true
}

/** An unsubscribe link can restore the last frequency before the mails ended. The value is null while mails are on. */
function frequencyBefore(previous: Frequency, next: Frequency | undefined): Sql {
  if (next === undefined || (next === 'never' && previous === 'never')) return sql`watch_areas.frequency_before`
  return next === 'never' ? sql`${previous}` : sql`NULL`
}

/** Moves unsent mails to the first digest. A mail that is leased now is lost if sending it fails. */
async function moveMailsToDigest(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`
    WITH cancelled AS (
      UPDATE mails mail SET failed_at = now(), reply = ${CANCELLED_REPLY}
      WHERE mail.watch_area_id = ${id} AND mail.sent_at IS NULL AND mail.failed_at IS NULL
        AND (mail.leased_until IS NULL OR mail.leased_until < now())
      RETURNING mail.event_id)
    INSERT INTO watch_matches (watch_area_id, event_id)
    SELECT ${id}, c.event_id FROM cancelled c ORDER BY c.event_id
    ON CONFLICT DO NOTHING`)
}

const presentSettings = ({ watched: _, ...changes }: WatchAreaChanges): Partial<WatchSettings & { locale: string }> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

/** Returns false if the user has no such area. */
export async function renewToken(tx: Transaction, { id, user_id }: OwnedArea, watcher_token: string, at: Date): Promise<boolean> {
  const { count } = await tx.prisma.watchArea.updateMany({ where: { id, user_id }, data: { watcher_token, updated_at: at } })
  return count > 0
}

export async function removeWatchArea(tx: Transaction, { id, user_id }: OwnedArea): Promise<boolean> {
  const [found] = await tx.query(sql.type(IdRow)`
    SELECT w.id FROM watch_areas w WHERE w.id = ${id} AND w.user_id = ${user_id} FOR UPDATE`)
  if (!found) return false
  await tx.prisma.mail.deleteMany({ where: { watch_area_id: id, sent_at: null, failed_at: null } })
  await tx.prisma.watchArea.deleteMany({ where: { id } })
  return true
}

const definitionColumns = sql`kind, place_id, centre_lng, centre_lat, radius_m, west, south, east, north, area`

function definitionValues(watched: WatchedArea): Sql {
  const circle = watched.kind === 'circle' ? watched : undefined
  const box = watched.kind === 'box' ? watched.box : undefined
  const numbers = [circle?.centre.lng, circle?.centre.lat, circle?.radius_m, box?.west, box?.south, box?.east, box?.north]
  const placeId = watched.kind === 'place' ? watched.placeId : null
  return sql`${watched.kind}::watch_area_kind, ${placeId}::integer,
    ${join(numbers.map((number) => sql`${number ?? null}::double precision`))}, ${boundingShape(watched)}`
}

/** The index has single precision and the shape needs an area, so it is slightly larger than the box. */
const MARGIN = 1e-5

/** Returns a shape that contains the area, for the index and for maps. */
function boundingShape(watched: WatchedArea): Sql {
  switch (watched.kind) {
    case 'place':
      return sql`NULL::geometry(MultiPolygon, 4326)`
    case 'polygon':
      return sql`ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${watched.geojson}), 4326))`
    case 'circle': {
      const polygon = JSON.stringify(circumscribedPolygon(watched.centre, watched.radius_m))
      const shape = sql`ST_SetSRID(ST_GeomFromGeoJSON(${polygon}), 4326)`
      return toMultiPolygon(sql`ST_WrapX(ST_WrapX(${shape}, 180, -360), -180, 360)`)
    }
    case 'box': {
      const { south, north } = watched.box
      const parts = longitudeRanges(watched.box).map(
        ([west, east]) => sql`ST_MakeEnvelope(
          ${Math.max(west - MARGIN, -180)}, ${Math.max(south - MARGIN, -90)},
          ${Math.min(east + MARGIN, 180)}, ${Math.min(north + MARGIN, 90)}, 4326)`,
      )
      return toMultiPolygon(sql`ST_Union(ARRAY[${join(parts)}])`)
    }
  }
}

const toMultiPolygon = (shape: Sql): Sql => sql`ST_Multi(ST_CollectionExtract(ST_MakeValid(${shape}), 3))`
