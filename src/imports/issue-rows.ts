import { unescapeFormula } from '../http/formats/csv.ts'
import { outcomes, statuses } from '../issue-lifecycle/status.ts'
import { categories } from '../issues/categories.ts'
import { issueSources } from '../issues/schema.ts'
import { FieldReader } from './reading/field-reader.ts'
import { isObject, type SourceRow } from './reading/source-row.ts'

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
  'category',
  'video_url',
  'source',
  'outcome',
  'created_at',
  'updated_at',
  'acknowledged_at',
  'closed_at',
  'reopened_at',
] as const

/** Columns of our own exports that follow from other ones, so that they are neither stored nor reported. */
export const derivedIssueColumns = [
  'rating_count',
  'request_type',
  'organization',
  'place_url_name',
  'reporter',
  'html_url',
  'url',
  'image_full',
  'representative_image_url',
  'organization_id',
  'comment_count',
  'vote_count',
  'archived_at',
  'licence',
  'attribution',
] as const

export const requiredIssueColumns = ['id', 'summary', 'lat', 'lng'] as const

const textColumns = ['summary', 'description', 'address'] as const

/** The columns of an issue, with the line of its row. Timestamps are ISO 8601 in UTC. */
export type IssueRow = Exclude<ReturnType<typeof toIssueRow>, Errors>

interface Errors {
  readonly errors: readonly string[]
}

/** Leaves ids for later reports below the maximum of an integer. */
export const ID_MAX = 2_000_000_000
const RATING_MAX = 1_000_000_000
const SUMMARY_MAX = 1_000
const DESCRIPTION_MAX = 20_000
const ADDRESS_MAX = 1_000
const VIDEO_URL_MAX = 2_000

/** Returns all errors of an invalid row. `created_at` defaults to `now` (ISO 8601), `updated_at` to the latest timestamp. */
export function toIssueRow(
  { line, values, feature }: SourceRow,
  { source, now }: { readonly source: string; readonly now: string },
) {
  const fields = new FieldReader(feature === undefined ? withoutApostrophes(values) : values)
  if (hasOtherGeometry(feature)) fields.errors.push('geometry must be a Point')
  else fields.require('lng', 'lat')
  fields.require('id', 'summary')
  const id = fields.integer('id', 1, ID_MAX)
  const summary = fields.text('summary', SUMMARY_MAX)
  const lng = fields.degrees('lng', 180)
  const lat = fields.degrees('lat', 90)
  const rating = fields.integer('rating', 0, RATING_MAX)
  const created_at = fields.timestamp('created_at') ?? now
  const acknowledged_at = fields.timestamp('acknowledged_at')
  const closed_at = fields.timestamp('closed_at')
  const reopened_at = fields.timestamp('reopened_at')
  const updated_at = fields.timestamp('updated_at')
  // In exports, 0 means that the reporter is unknown.
  const reporter_id = fields.integer('reporter_id', 0, ID_MAX) || null
  const rest = {
    status: fields.oneOf('status', statuses) ?? 'Open',
    description: fields.text('description', DESCRIPTION_MAX),
    address: fields.text('address', ADDRESS_MAX),
    reporter_id,
    anonymous: reporter_id === null,
    assignee_id: fields.integer('assignee_id', 0, ID_MAX) || null,
    request_type_id: fields.integer('request_type_id', 1, ID_MAX),
    // Files of other services have categories of their own. Without a known one, the category of the request type applies.
    category: categories.find((known) => known === values['category']) ?? null,
    video_url: fields.url('video_url', VIDEO_URL_MAX),
    // The same is true of sources and outcomes.
    source: issueSources.find((known) => known === values['source']) ?? 'import',
    outcome: outcomes.find((known) => known === values['outcome']) ?? null,
  }
  if (id === null || summary === null || lng === null || lat === null || fields.errors.length > 0)
    return { errors: fields.errors } satisfies Errors
  return {
    ...rest,
    line,
    id,
    import_key: `${source}:${id}`,
    summary,
    lng,
    lat,
    // The database adds 1 for an acknowledged issue; the rating of the file includes it.
    base_rating: rating === null ? 1 : rating - (acknowledged_at === null ? 0 : 1),
    created_at,
    updated_at: updated_at ?? latestTimestamp([created_at, acknowledged_at, closed_at, reopened_at]),
    acknowledged_at,
    closed_at,
    reopened_at,
  }
}

/** An export as CSV writes an apostrophe before texts that spreadsheets would evaluate. */
function withoutApostrophes(values: SourceRow['values']): SourceRow['values'] {
  const texts = textColumns.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return typeof value === 'string' && value.includes("'") ? [[name, unescapeFormula(value)] as const] : []
  })
  return texts.length === 0 ? values : { ...values, ...Object.fromEntries(texts) }
}

/** ISO 8601 in UTC with four-digit years sorts by time. */
const latestTimestamp = (timestamps: readonly (string | null)[]): string =>
  timestamps.reduce<string>((latest, timestamp) => (timestamp !== null && timestamp > latest ? timestamp : latest), '')

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

/** The properties of a feature without a geometry may include `lng` and `lat`. */
function hasOtherGeometry(feature: SourceRow['feature']): boolean {
  const geometry = feature?.['geometry']
  return geometry !== undefined && geometry !== null && !(isObject(geometry) && geometry['type'] === 'Point')
}
