import type { Database } from './database/database.ts'
import { findPlaceByUrlName } from './places/queries.ts'

/** What a person who started the service reads at the end: where it is, and three commands that answer. */
export async function welcome(db: Database, root: string, seconds: number): Promise<string> {
  const isDemo = (await findPlaceByUrlName(db, 'denver')) !== undefined
  const asks = isDemo
    ? [
        '/issues?place_url=denver&status=open&sort=rating',
        '/issues?lat=39.7392&lng=-104.9903&zoom=15&search=pothole',
        '/places?lat=39.7392&lng=-104.9903',
      ]
    : ['/issues', '/issues/new?lat=39.7392&lng=-104.9903', '/places?lat=39.7392&lng=-104.9903']
  return [
    `Ready after ${seconds.toFixed(1)} s at ${root} (API: ${root}/api/v2, reference: ${root}/docs). Try:`,
    ...asks.map((ask) => `  curl '${root}/api/v2${ask}'`),
    ...(isDemo ? [] : ['There are no demo places here: npm run import brings your own data, npm run seed the demo.']),
    'Stop with Ctrl+C.',
  ].join('\n')
}
