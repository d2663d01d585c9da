import Type from 'typebox'

import { IdRow, nullable, stringEnum, Timestamp, join, type Sql, sql, type Transaction } from '../database/database.ts'
import { centre } from '../geo/area.ts'
import { problems } from '../errors/problems.ts'
import { newSecret } from '../http/identity/credentials.ts'
import { isBlankText } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
import { CANCELLED_REPLY } from '../mail/rules.ts'
import { longitudeRanges, circumscribedPolygon } from '../geo/shapes.ts'
import { watchedAreaCentre, type WatchedArea } from './area-input.ts'
import { type Frequency, frequencies, nextDigestAt, type NewWatchArea, watchTopics } from './schema.ts'
import { storedAreaColumns, rowToArea, StoredAreaRow } from './queries.ts'

export const AREAS_MAX = 50

type WatchAreaSettings = { readonly [Name in 'name' | 'frequency' | 'about' | 'locale']?: NewWatchArea[Name] | undefined }

interface WatchAreaCreation {
  readonly user_id: number
  readonly watched: WatchedArea
  readonly settings: WatchAreaSettings
  readonly language: string | undefined
  readonly at: Date
}

const OwnerRow = Type.Object({ locale: Type.String() })

/**
 * Returns the id. The row of the owner is locked, so that concurrent requests cannot exceed the maximum.
 * @throws Problem 422 `{base}` if the user has reached the maximum, 401 if the account was deleted
 */
export async function createWatchArea(
  tx: Transaction,
  { user_id, watched, settings, language, at }: WatchAreaCreation,
): Promise<number> {
  const [owner] = await tx.query(sql.type(OwnerRow)`
    SELECT u.locale FROM users u WHERE u.id = ${user_id} FOR NO KEY UPDATE`)
  if (!owner) throw problems.loginNeeded()
  const { name = null, frequency = 'instant', about = 'all', locale = language ?? owner.locale } = settings
  const dueAt = nextDigestAt({ frequency, at, lng: watchedAreaCentre(watched).lng })
  const [added] = await tx.query(sql.type(IdRow)`
    INSERT INTO watch_areas (
      user_id, watcher_token, name, frequency, about, locale, next_digest_at, created_at, updated_at, ${definitionColumns})
    SELECT ${user_id}, ${newSecret()}, ${normalizeName(name)}, ${frequency}, ${about}, ${locale},
      ${dueAt?.toISOString() ?? null}::timestamptz, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz, ${definitionValues(watched)}
    WHERE (SELECT count(*) FROM watch_areas w WHERE w.user_id = ${user_id}) < ${AREAS_MAX}
    RETURNING watch_areas.id`)
  if (!added) throw problems.invalid({ base: text('too_many_watch_areas', { max: AREAS_MAX }) })
  return added.id
}

type WatchAreaChanges = WatchAreaSettings & { readonly watched?: WatchedArea | undefined }

const normalizeName = (name: string | null) =>
  name === null || isBlankText(name) ? null : name.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()

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

/** Without digests the stored matches are deleted; other changes may move the due time. @throws Problem 404 if the user has no such area */
export async function updateWatchArea(
  tx: Transaction,
  { id, user_id }: OwnedArea,
  changes: WatchAreaChanges,
  at: Date,
): Promise<void> {
  const [found] = await tx.query(sql.type(ChangedRow)`
    SELECT w.id, w.name, w.frequency, w.about, w.locale, w.next_digest_at, ${storedAreaColumns}
    FROM (SELECT l.* FROM watch_areas l WHERE l.id = ${id} AND l.user_id = ${user_id} FOR NO KEY UPDATE) w
    LEFT JOIN places p ON p.id = w.place_id`)
  if (!found) throw problems.notFound('the_watch_area')
  const { watched, name = found.name, frequency = found.frequency, about = found.about, locale = found.locale } = changes
  const next = { name: normalizeName(name), frequency, about, locale }
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

/** Replaces the token. @throws Problem 404 if the user has no such area */
export async function renewWatcherToken(tx: Transaction, { id, user_id }: OwnedArea, updated_at: Date): Promise<void> {
  const data = { watcher_token: newSecret(), updated_at }
  const { count } = await tx.prisma.watchArea.updateMany({ where: { id, user_id }, data })
  if (count === 0) throw problems.notFound('the_watch_area')
}

/** @throws Problem 404 if the user has no such area */
export async function deleteWatchArea(tx: Transaction, { id, user_id }: OwnedArea): Promise<void> {
  const [found] = await tx.query(sql.type(IdRow)`
    SELECT w.id FROM watch_areas w WHERE w.id = ${id} AND w.user_id = ${user_id} FOR UPDATE`)
  if (!found) throw problems.notFound('the_watch_area')
  await tx.prisma.mail.deleteMany({ where: { watch_area_id: id, sent_at: null, failed_at: null } })
  await tx.prisma.watchArea.deleteMany({ where: { id } })
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
