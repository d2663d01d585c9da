import { Value } from 'typebox/value'

import { type Queryable, type Sql, findUnknownIds, sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Area } from '../../geo/area.ts'
import { parseConditions, ConditionQuery } from '../../gis/query.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { readTimestamp, idMax } from '../../http/schema/fields.ts'
import { allowedValues } from '../../http/validation/validation.ts'
import { CURSOR_DAYS } from '../../issue-lifecycle/changes-cursor.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { type IdFilter, type IssueFilter, parseIssueSearch } from '../../issues/list/filter.ts'
import { text } from '../../locales/texts.ts'
import { listRequestTypeIds } from '../../request-types/queries.ts'
import { parseWatchedArea, toArea } from '../../watch-areas/area-input.ts'
import { invalidParameter, mustBe, type Parameters, isId, readInteger, readList } from '../input/body.ts'
import type { Jurisdiction } from '../input/jurisdiction.ts'
import { OTHER_CODE } from '../services/routes.ts'
import { openStatuses } from './present.ts'

const DAY_MS = 86_400_000
/** GeoReport v2: the default and the longest span of `requested_datetime`. */
const SPAN_DAYS = 90
const SPAN_MS = SPAN_DAYS * DAY_MS
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')]

/** Bounds in ISO 8601; those named `Before` are exclusive. */
type Period = Pick<IssueFilter, 'createdFrom' | 'createdBefore' | 'updatedFrom' | 'updatedBefore' | 'scope'>

/** @throws Problem 422 for a value that is no timestamp */
export const readAnyPeriod = (parameters: Parameters, now: Date): Period => ({
  createdFrom: format(readFrom(parameters, 'start_date')),
  createdBefore: format(readTo(parameters, 'end_date')?.before),
  ...readUpdatePeriod(parameters, now),
})

function readUpdatePeriod(parameters: Parameters, now: Date): Period {
  const updatedFrom = format(readFrom(parameters, 'updated_after'))
  const updatedBefore = format(readTo(parameters, 'updated_before')?.before)
  const isInLog = updatedFrom !== undefined && now.getTime() - Date.parse(updatedFrom) <= CURSOR_DAYS * DAY_MS
  return isInLog ? { scope: changedIn(updatedFrom, updatedBefore) } : { updatedFrom, updatedBefore }
}

/** The change log has what leaves `updated_at` alone: votes, archiving, approvals and imports. */
function changedIn(from: string, before = 'infinity'): readonly Sql[] {
  const isIn = (time: Sql) => sql`${time} >= ${from}::timestamptz AND ${time} < ${before}::timestamptz`
  const isUpdated = isIn(sql`i.updated_at`)
  const changed = sql`SELECT c.issue_id FROM public_issue_changes c WHERE ${isIn(sql`c.changed_at`)}`
  return [isUpdated, sql`NOT (${isUpdated}) AND i.id IN (${changed})`]
}

/**
 * Returns the period of a list. Without `start_date` and `end_date` it begins 90 days ago, at the beginning of that day in UTC so that the
 * list has the same ETag all day; with one of them, it has 90 days. With a bound of the update alone, any date of the request is included.
 * @throws Problem 422 for a value that is no timestamp, or a span of more than 90 days
 */
export function readPeriod(parameters: Parameters, now: Date): { readonly period: Period; readonly isDefault: boolean } {
  const [start, end] = [readFrom(parameters, 'start_date'), readTo(parameters, 'end_date')]
  const updated = readUpdatePeriod(parameters, now)
  if (start !== undefined && end !== undefined && end.last - start > SPAN_MS)
    throw invalidParameter('end_date', text('span_too_long', { days: SPAN_DAYS }))
  if (start !== undefined || end !== undefined) {
    const createdFrom = format(start ?? (end && end.last - SPAN_MS))
    const createdBefore = format(end?.before ?? (start && start + SPAN_MS + 1_000))
    return { period: { ...updated, createdFrom, createdBefore }, isDefault: false }
  }
  if (parameters.has('updated_after') || parameters.has('updated_before')) return { period: updated, isDefault: false }
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return { period: { createdFrom: format(today - SPAN_MS) }, isDefault: true }
}

const readFrom = (parameters: Parameters, name: string) => read(parameters, name)?.time

/** The bound is inclusive to the second, as times are shown; a date without a time is the whole day. */
function readTo(parameters: Parameters, name: string) {
  const found = read(parameters, name)
  if (!found) return undefined
  const before = found.isDate ? found.time + DAY_MS : Math.floor(found.time / 1_000) * 1_000 + 1_000
  return { last: found.time, before }
}

function read(parameters: Parameters, name: string): { readonly time: number; readonly isDate: boolean } | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const timestamp = value.length <= 40 ? readTimestamp(value) : undefined
  if (timestamp === undefined) throw mustBe(name, text('timestamp_in_address'))
  return { time: Date.parse(timestamp), isDate: !value.includes('T') }
}

const format = (time: number | undefined) =>
  time === undefined ? undefined : new Date(Math.min(Math.max(time, EARLIEST), LATEST)).toISOString()

const circleNames = ['lat', 'long', 'radius'] as const
const cornerNames = ['min_lng', 'min_lat', 'max_lng', 'max_lat'] as const

/**
 * Returns the area of `bbox`, or of `lat`, `long` and `radius` (metres), with the limits of watch areas; everywhere without them.
 * @throws Problem 422 for an incomplete or invalid form, and for both
 */
async function readArea(parameters: Parameters, lookup: AreaLookup): Promise<Area> {
  const box = parameters.get('bbox')
  const circle = circleNames.filter((name) => parameters.has(name))
  if (box !== undefined && circle.length > 0)
    throw invalidParameter('bbox', text('combined_with_another_area', { name: circle.join(', ') }))
  if (box !== undefined) return readBox(box, lookup)
  return circle.length > 0 ? readCircle(parameters, lookup) : { kind: 'everywhere' }
}

async function readBox(value: string, lookup: AreaLookup): Promise<Area> {
  const degrees = value.split(',').map((part) => part.trim())
  const input = Object.fromEntries(cornerNames.map((name, index) => [name, degrees[index] ?? '']))
  const parsed = await parseWatchedArea(input, lookup)
  if (degrees.length !== cornerNames.length || 'errors' in parsed) throw mustBe('bbox', text('west_south_east_north'))
  return toArea(parsed.watched)
}

async function readCircle(parameters: Parameters, lookup: AreaLookup): Promise<Area> {
  const missing = circleNames.filter((name) => !parameters.has(name))
  const present = circleNames.filter((name) => parameters.has(name)).join(', ')
  if (missing.length > 0)
    throw problems.invalid(Object.fromEntries(missing.map((name) => [name, text('required_together', { names: present })])))
  const [lat = '', lng = '', radius = ''] = circleNames.map((name) => parameters.get(name))
  const parsed = await parseWatchedArea({ lat, lng, radius }, lookup)
  if ('errors' in parsed) throw problems.invalid(parsed.errors)
  return toArea(parsed.watched)
}

const conditionLists = ['category', 'organization_id']
const conditionNames = Object.keys(ConditionQuery.properties)
const ITEMS_MAX = 100

/**
 * Returns the conditions that the other interfaces of data have, too, as one predicate over issue `i`; undefined without any.
 * @throws Problem 422 for an invalid value, organisations that do not exist, or a too expensive CQL2 filter
 */
function readCondition(
  parameters: Parameters,
  sources: { readonly reader: Queryable; readonly areas: AreaLookup },
  filter: IssueFilter,
): Promise<Sql | undefined> {
  const present = Object.entries(ConditionQuery.properties).filter(([name]) => parameters.has(name))
  const values = present.map(([name, schema]) => {
    const allowed = allowedValues(schema) ?? text('any_text')
    const value = conditionLists.includes(name) ? readList(parameters, name, { max: ITEMS_MAX, allowed }) : parameters.get(name)
    if (!Value.Check(schema, value)) throw mustBe(name, allowed)
    return [name, value] as const
  })
  return parseConditions(sources, Value.Parse(ConditionQuery, Object.fromEntries(values)), filter)
}

/** GeoReport v2: the default and the largest page. */
const PAGE_SIZE_MAX = 1_000
const IDS_MAX = 1_000
const CODES_MAX = 100
const SEARCH_MAX = 200

export const listNames = ['service_request_id', 'service_code', 'status', ...conditionLists]
export const filterNames = [
  ...['service_code', 'status', 'start_date', 'end_date', 'updated_after', 'updated_before'],
  ...['bbox', 'lat', 'long', 'radius', 'q', ...conditionNames],
]
export const names = [...filterNames, 'service_request_id', 'page', 'page_size', 'extensions']

/** Returns the ids that `service_request_id` lists; they override all other filters. @throws Problem 422 for values that are no ids */
export function readIds(parameters: Parameters): readonly number[] | undefined {
  const allowed = text('service_request_ids', { max: IDS_MAX })
  const values = readList(parameters, 'service_request_id', { max: IDS_MAX, allowed })
  if (!values?.every(isId)) {
    if (values) throw mustBe('service_request_id', allowed)
    return undefined
  }
  return values.map(Number)
}

export function readPage(parameters: Parameters): Page {
  return {
    page: readInteger(parameters, 'page', { max: idMax }) ?? 1,
    perPage: readInteger(parameters, 'page_size', { max: PAGE_SIZE_MAX }) ?? PAGE_SIZE_MAX,
  }
}

/**
 * Returns the filter of a list, which selects among the issues that `GET /issues` lists.
 * @throws Problem 422 naming the invalid parameter
 */
export async function readFilter(
  parameters: Parameters,
  jurisdiction: Jurisdiction,
  { reader, areas, period }: { readonly reader: Queryable; readonly areas: AreaLookup; readonly period: Period },
): Promise<IssueFilter> {
  const search = parameters.get('q')
  if (search !== undefined && [...search].length > SEARCH_MAX) throw mustBe('q', text('a_text_up_to', { max: SEARCH_MAX }))
  const filter: IssueFilter = {
    area: await readArea(parameters, areas),
    statuses: readStatuses(parameters),
    ...period,
    search: await parseIssueSearch(reader, search),
    requestTypes: await readRequestTypes(parameters, jurisdiction, reader),
  }
  return { ...filter, condition: await readCondition(parameters, { reader, areas }, filter) }
}

function readStatuses(parameters: Parameters): readonly Status[] {
  const allowed = text('comma_list', { values: 'open, closed' })
  const values = readList(parameters, 'status', { max: 10, allowed })?.map((value) => value.toLowerCase())
  if (values?.some((value) => value !== 'open' && value !== 'closed')) throw mustBe('status', allowed)
  return values ? statuses.filter((status) => values.includes(openStatuses.includes(status) ? 'open' : 'closed')) : statuses
}

async function readRequestTypes(
  parameters: Parameters,
  jurisdiction: Jurisdiction,
  reader: Queryable,
): Promise<IdFilter | undefined> {
  const codes = readList(parameters, 'service_code', { max: CODES_MAX, allowed: text('service_codes', { max: CODES_MAX }) })
  const own = jurisdiction && (await listRequestTypeIds(reader, jurisdiction.id))
  if (!codes) return own && { ids: own, includeNull: false }
  const ids = codes.filter(isId).map(Number)
  const unknown = own
    ? ids.filter((id) => !own.includes(id))
    : ids.length > 0
      ? await findUnknownIds(reader, 'request_types', ids)
      : []
  const refused = codes.filter((code) => (isId(code) ? unknown.includes(Number(code)) : code !== OTHER_CODE || own !== undefined))
  if (refused.length > 0)
    throw invalidParameter('service_code', text('unknown_names', { names: refused.join(', ').slice(0, 100).toWellFormed() }))
  return { ids, includeNull: codes.includes(OTHER_CODE) }
}
