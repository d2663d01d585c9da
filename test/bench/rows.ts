import { boxAround, type City, DEEP_PAGE, HALF_CITY, HALF_COUNTRY, type ReferenceName } from './reference.ts'

/** One line of the table: an HTTP request and its reference in the database. */
export interface BenchRow {
  readonly name: string
  readonly reference: ReferenceName
  /** Path relative to /api/v2; absent if only the database is measured. */
  readonly path?: (city: City, issueId: number) => string
  /**
   * `first` adds another ignored parameter to each request, so that no response comes from memory. `again` repeats the URLs.
   * `conditional` repeats them with the ETag, so that every response is 304. Default: `first`.
   */
  readonly requests?: 'first' | 'again' | 'conditional'
  /** Minimum ratio of requests per second, HTTP to reference. */
  readonly ratioMin?: number
  /** Maximum ratio of p99, HTTP to reference. */
  readonly p99Max?: number
}

const box = (city: City, half: number) => {
  const [west, south, east, north] = boxAround(city, half)
  return `min_lng=${west}&min_lat=${south}&max_lng=${east}&max_lat=${north}`
}

export const benchRows: readonly BenchRow[] = [
  {
    name: 'city box, first page',
    reference: 'cityPage',
    path: (city) => `/issues?${box(city, HALF_CITY)}`,
    ratioMin: 0.6,
    p99Max: 3,
  },
  {
    name: 'city box, first page, again',
    reference: 'cityPage',
    path: (city) => `/issues?${box(city, HALF_CITY)}`,
    requests: 'again',
  },
  // An unchanged list reads at least its total.
  {
    name: 'city box, first page, 304',
    reference: 'cityTotal',
    path: (city) => `/issues?${box(city, HALF_CITY)}`,
    requests: 'conditional',
  },
  { name: '  its page alone', reference: 'cityPageAlone' },
  { name: '  its count(*) alone', reference: 'cityCount' },
  { name: '  its page after count(*)', reference: 'cityPageAfterCount' },
  {
    name: `city box, page ${DEEP_PAGE}`,
    reference: 'deepPage',
    path: (city) => `/issues?${box(city, HALF_CITY)}&page=${DEEP_PAGE}`,
  },
  { name: 'place', reference: 'place', path: (city) => `/issues?place_url=city-${city.id}` },
  { name: 'nearest 20', reference: 'nearest', path: (city) => `/issues?lat=${city.lat}&lng=${city.lng}&sort=distance` },
  { name: '  its page alone', reference: 'nearestPageAlone' },
  { name: 'country box', reference: 'countryPage', path: (city) => `/issues?${box(city, HALF_COUNTRY)}` },
  { name: '  its total alone', reference: 'countryTotal' },
  { name: '  its count(*) alone', reference: 'countryCount' },
  { name: 'search in a place', reference: 'searchInPlace', path: (city) => `/issues?place_url=city-${city.id}&search=pothole` },
  { name: 'details=true', reference: 'detailsPage', path: (city) => `/issues?${box(city, HALF_CITY)}&details=true` },
  { name: 'one issue', reference: 'oneIssue', path: (_city, issueId) => `/issues/${issueId}`, ratioMin: 0.5 },
  { name: 'one issue, again', reference: 'oneIssue', path: (_city, issueId) => `/issues/${issueId}`, requests: 'again' },
  { name: 'one issue, 304', reference: 'version', path: (_city, issueId) => `/issues/${issueId}`, requests: 'conditional' },
]

/** Minimum ratio of a 304 to the full response of a row. */
export const notModified = [
  { row: 'one issue', timesMin: 2 },
  { row: 'city box, first page', timesMin: 5 },
] as const
