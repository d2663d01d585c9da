import { statuses } from '../../issue-lifecycle/status.ts'
import type { ListIssuesQuery } from '../list/query.ts'

type TitleQuery = Omit<ListIssuesQuery, 'details' | 'fields[issue]'>

/** Returns the title that feed readers list, such as 'Issues in Denver: open, with “pothole”'. */
export function pageTitle(query: TitleQuery, placeName: string | undefined): string {
  const filters = describeFilters(query)
  return `Issues ${areaIn(query, placeName)}${filters.length === 0 ? '' : `: ${filters.join(', ')}`}`
}

function areaIn(query: TitleQuery, placeName: string | undefined): string {
  const { lat, lng, radius, area, zoom, address, min_lat, min_lng, max_lat, max_lng } = query
  if (area !== undefined) return 'in an area'
  if (radius !== undefined) return `within ${radius} metre${radius === 1 ? '' : 's'} of ${lat}, ${lng}`
  if (zoom !== undefined) return address === undefined ? `around ${lat}, ${lng}` : `around ${address}`
  if (placeName !== undefined) return `in ${placeName}`
  if (min_lat !== undefined) return `between ${min_lat}, ${min_lng} and ${max_lat}, ${max_lng}`
  return query.watcher_token === undefined ? 'everywhere' : 'in a watch area'
}

function describeFilters(query: TitleQuery): string[] {
  const { status, search, request_types, assigned, after, before, updated_at_after, updated_at_before } = query
  const states = [...new Set(status?.map((one) => one.toLowerCase()))]
  // Lists have all but archived issues by default, and downloads have all.
  const isDefault = states.length === statuses.length || (states.length === statuses.length - 1 && !states.includes('archived'))
  return [
    ...(isDefault ? [] : [states.join(' or ')]),
    ...(search?.trim() ? [`with “${search.trim()}”`] : []),
    ...(request_types ? [`of request type ${request_types.join(' or ')}`] : []),
    ...(assigned ? [`assigned to ${assigned.map((one) => (one === 'unassigned' ? 'no one' : one)).join(' or ')}`] : []),
    ...(after ? [`from ${after}`] : []),
    ...(before ? [`before ${before}`] : []),
    ...(updated_at_after ? [`changed from ${updated_at_after}`] : []),
    ...(updated_at_before ? [`changed before ${updated_at_before}`] : []),
    ...sortedBy(query),
  ]
}

function sortedBy({ sort, sort_direction }: TitleQuery): string[] {
  const names = { created_at: 'creation', updated_at: 'last change', rating: 'rating', distance: 'distance' }
  const isDefault = (sort ?? 'created_at') === 'created_at' && sort_direction !== 'ASC'
  return isDefault ? [] : [`by ${names[sort ?? 'created_at']}${sort_direction ? ` ${sort_direction.toLowerCase()}ending` : ''}`]
}
