import { statuses } from '../issue-lifecycle/status.ts'
import { Fields } from './reading/fields.ts'
import { isObject, type SourceRow } from './reading/source-row.ts'

/** The scalar fields of an Issue that are data: its URLs and numbers are made from these. */
export const issueColumns = [
  'id',
  'status',
  'rating',
  'summary',
  'description',
  'lat',
  'lng',
  'address',
  'reporter_id',
  'assignee_id',
  'request_type_id',
  'video_url',
  'created_at',
  'updated_at',
  'acknowledged_at',
  'closed_at',
  'reopened_at',
] as const

/** Every row needs these columns. */
export const requiredIssueColumns = ['id', 'summary', 'lat', 'lng'] as const

/** An imported issue as it goes into the table. Stamps are ISO 8601 in UTC. */
export interface IssueRow {
  readonly line: number
  readonly id: number
  readonly importKey: string
  readonly status: (typeof statuses)[number]
  readonly baseRating: number
  readonly summary: string
  readonly description: string | null
  readonly lng: number
  readonly lat: number
  readonly address: string | null
  /** Null is an anonymous report. */
  readonly reporterId: number | null
  readonly assigneeId: number | null
  readonly requestTypeId: number | null
  readonly videoUrl: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly acknowledgedAt: string | null
  readonly closedAt: string | null
  readonly reopenedAt: string | null
}

/** Above it are the ids of what is reported later: an id of the largest integer would leave none. */
export const ID_MAX = 2_000_000_000
const RATING_MAX = 1_000_000_000
const SUMMARY_MAX = 1_000
const DESCRIPTION_MAX = 20_000
const ADDRESS_MAX = 1_000
const VIDEO_URL_MAX = 2_000

/**
 * Reads a row, or tells everything that is wrong with it. `now` (ISO 8601) stands in where there is no `created_at`, and the
 * latest stamp of the row where there is no `updated_at`.
 */
export function toIssueRow(
  { line, values, feature }: SourceRow,
  { source, now }: { readonly source: string; readonly now: string },
): IssueRow | { readonly faults: readonly string[] } {
  const fields = new Fields(values)
  if (hasOtherGeometry(feature)) fields.faults.push('geometry must be a Point')
  else fields.require('lng', 'lat')
  fields.require('id', 'summary')
  const id = fields.integer('id', 1, ID_MAX)
  const summary = fields.text('summary', SUMMARY_MAX)
  const lng = fields.degrees('lng', 180)
  const lat = fields.degrees('lat', 90)
  const rating = fields.integer('rating', 0, RATING_MAX)
  const created = fields.stamp('created_at') ?? now
  const acknowledged = fields.stamp('acknowledged_at')
  const closed = fields.stamp('closed_at')
  const reopened = fields.stamp('reopened_at')
  const updated = fields.stamp('updated_at')
  const rest = {
    status: fields.oneOf('status', statuses) ?? 'Open',
    description: fields.text('description', DESCRIPTION_MAX),
    address: fields.text('address', ADDRESS_MAX),
    // Exports write 0 where the reporter is not told.
    reporterId: fields.integer('reporter_id', 0, ID_MAX) || null,
    assigneeId: fields.integer('assignee_id', 0, ID_MAX) || null,
    requestTypeId: fields.integer('request_type_id', 1, ID_MAX),
    videoUrl: fields.webAddress('video_url', VIDEO_URL_MAX),
  }
  if (id === null || summary === null || lng === null || lat === null || fields.faults.length > 0) return { faults: fields.faults }
  return {
    ...rest,
    line,
    id,
    importKey: `${source}:${id}`,
    summary,
    lng,
    lat,
    // The database adds the 1 of an acknowledgement to the base; the rating of the file has it in it.
    baseRating: rating === null ? 1 : rating - (acknowledged === null ? 0 : 1),
    createdAt: created,
    updatedAt: updated ?? latestTimestamp([created, acknowledged, closed, reopened]),
    acknowledgedAt: acknowledged,
    closedAt: closed,
    reopenedAt: reopened,
  }
}

/** ISO 8601 in UTC with four digits of the year sorts as text. */
const latestTimestamp = (stamps: readonly (string | null)[]): string =>
  stamps.reduce<string>((most, stamp) => (stamp !== null && stamp > most ? stamp : most), '')

/** Adds the id and the coordinates of a GeoJSON feature to its values. */
export function withPoint(row: SourceRow): SourceRow {
  if (row.feature === undefined) return row
  const { id, geometry } = row.feature
  const values: Record<string, unknown> = { ...row.values }
  if (id !== undefined && id !== null) values['id'] = id
  if (isObject(geometry) && geometry['type'] === 'Point' && Array.isArray(geometry['coordinates'])) {
    const [lng, lat] = geometry['coordinates'] as unknown[]
    Object.assign(values, { lng, lat })
  }
  return { ...row, values }
}

/** A feature without any geometry may still have `lng` and `lat` among its properties. */
function hasOtherGeometry(feature: SourceRow['feature']): boolean {
  const geometry = feature?.['geometry']
  return geometry !== undefined && geometry !== null && !(isObject(geometry) && geometry['type'] === 'Point')
}
