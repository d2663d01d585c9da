import { Value } from 'typebox/value'

import { text, type Text } from '../../locales/texts.ts'
import type { Queryable, Sql } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { idMax } from '../../http/schema/fields.ts'
import type { IdFilter, IssueFilter } from '../../issues/list/filter.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { findUnknownIds } from '../../database/unknown-ids.ts'
import { listRequestTypeIds } from '../../request-types/queries.ts'
import { parseIssueSearch } from '../../issues/list/search.ts'
import type { Jurisdiction } from '../input/jurisdiction.ts'
import { invalidParameter, isId, mustBe, type Parameters, readInteger, readList } from '../input/parameters.ts'
import { OTHER_CODE } from '../services/present.ts'
import type { Period } from './period.ts'
import { openStatuses } from './present.ts'
import { parseConditions } from '../../gis/filter.ts'
import { ConditionQuery } from '../../gis/query.ts'
import { problems } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import { parseWatchedArea, toArea } from '../../watch-areas/area-input.ts'

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
    const allowed = (schema as unknown as { readonly 'x-allowed': Text })['x-allowed']
    const value = conditionLists.includes(name) ? readList(parameters, name, { max: ITEMS_MAX, allowed }) : parameters.get(name)
    if (!Value.Check(schema, value)) throw mustBe(name, allowed)
    return [name, value] as const
  })
  return parseConditions(sources, Value.Parse(ConditionQuery, Object.fromEntries(values)), filter)
}

/** GeoReport v2: the default and the largest page. */
export const PAGE_SIZE_MAX = 1_000
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
