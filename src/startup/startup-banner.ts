import { NO_STREETS } from '../basemap/has-streets.ts'
import type { Database } from '../database/database.ts'
import { listIssueDots } from '../issues/list/overview.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { findPlaceByUrlName, listMainPlaces, listPlacesContaining } from '../places/queries.ts'

const demoRequests = [
  '/issues?place_url=denver&status=open&sort=rating',
  '/issues?lat=39.7392&lng=-104.9903&zoom=15&search=pothole',
  '/places?lat=39.7392&lng=-104.9903',
]

const emptyRequests = ['/issues', '/issues/new?lat=39.7392&lng=-104.9903', '/places?lat=39.7392&lng=-104.9903']

interface Notices {
  /** True if dev-mails.ts serves sent mails. */
  readonly hasMails?: boolean
  readonly hasStreets?: boolean
}

/** The three requests return data of this database. */
export async function startupBanner(
  db: Database,
  root: string,
  seconds: number,
  { hasMails = false, hasStreets = true }: Notices = {},
): Promise<string> {
  const own = (await findPlaceByUrlName(db, 'denver')) ? demoRequests : await suggestRequests(db)
  return [
    `Ready after ${seconds.toFixed(1)} s at ${root} (API: ${root}/api/v2, reference: ${root}/docs). Try:`,
    ...(own ?? emptyRequests).map((ask) => `  curl '${root}/api/v2${ask}'`),
    ...(own ? [] : ['The database is empty: npm run import loads your own data, npm run seed loads the demo.']),
    ...(hasMails ? [`Mails that the service sends are shown at ${root}/dev/mails, to this machine only.`] : []),
    ...(hasStreets ? [] : [NO_STREETS]),
    'Stop with Ctrl+C.',
  ].join('\n')
}

/** Returns undefined if there is neither an issue nor a place. */
async function suggestRequests(db: Database): Promise<string[] | undefined> {
  const [issue] = await listIssueDots(db, { area: { kind: 'everywhere' }, statuses }, 1)
  const around = issue ? await listPlacesContaining(db, issue) : await listMainPlaces(db, 1)
  const place = around.find(({ place_type }) => place_type === 'City') ?? around[0]
  const point = issue ?? (place && { lng: place.center_lng, lat: place.center_lat })
  if (!point) return undefined
  const coordinates = `lat=${rounded(point.lat)}&lng=${rounded(point.lng)}`
  return [
    place ? `/issues?place_url=${place.url_name}&sort=rating` : `/issues?${coordinates}&zoom=12`,
    `/issues?${coordinates}&zoom=15&sort=distance`,
    `/places?${coordinates}`,
  ]
}

/** Five decimals are one metre. */
const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5
