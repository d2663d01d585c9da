import { boxOf, type City, DEEP_PAGE, HALF_CITY, HALF_COUNTRY, type ReferenceName } from './reference.ts'

/** One line of the table: what is asked over HTTP, and which reference does the same in the database alone. */
export interface BenchRow {
  readonly name: string
  readonly reference: ReferenceName
  /** Relative to /api/v2; absent where only the database is measured, to show page and total apart. */
  readonly path?: (city: City, issueId: number) => string
  /** Asks with the ETag of the answer, so that every answer is 304. */
  readonly conditional?: boolean
  /** At least so many requests/s for each of the reference. */
  readonly ratioMin?: number
  /** Of HTTP at most so many times the database's own p99. */
  readonly p99Max?: number
}

const box = (city: City, half: number) => {
  const [west, south, east, north] = boxOf(city, half)
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
  // The least that an unchanged list has to read is how many there are.
  {
    name: 'city box, first page, 304',
    reference: 'cityTotal',
    path: (city) => `/issues?${box(city, HALF_CITY)}`,
    conditional: true,
  },
  { name: '  its page alone', reference: 'cityPageAlone' },
  { name: '  its count(*) alone', reference: 'cityCount' },
  { name: '  its page after count(*)', reference: 'cityPageAfterCount' },
  { name: '  its page gathered', reference: 'cityPageGathered' },
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
  { name: 'one issue, 304', reference: 'version', path: (_city, issueId) => `/issues/${issueId}`, conditional: true },
]

/** How many times faster than the whole answer of a row an unchanged one must be. */
export const notModified = [
  { row: 'one issue', timesMin: 2 },
  { row: 'city box, first page', timesMin: 5 },
] as const
