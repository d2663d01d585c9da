import { loadSpeed, mean, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import { boxAround, type City, HALF_CITY } from '../reference.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

/* Compares pages of a city as Open311 service requests with the same pages of GET /issues: as new URLs, and again, from the memory. */

const GOAL = 0.9
const TURNS = 2

export async function measureOpen311({ databaseUrl, cities, connections, seconds, say }: Bench): Promise<readonly Goal[]> {
  const server = await startServer(databaseUrl)
  try {
    const goals: Goal[] = []
    for (const areNew of [true, false]) {
      const load = { url: server.url, connections, seconds, areNew, status: 200 }
      const speeds: { issues: Speed[]; requests: Speed[] } = { issues: [], requests: [] }
      for (let turn = 0; turn < TURNS; turn++) {
        speeds.issues.push(await loadSpeed({ ...load, requests: cities.map(issuesPath) }))
        speeds.requests.push(await loadSpeed({ ...load, requests: cities.map(requestsPath) }))
      }
      const [issues, requests] = [mean(speeds.issues), mean(speeds.requests)]
      const ratio = requests.perSecond / issues.perSecond
      const name = areNew ? 'new URLs' : 'the same URLs'
      say(`\nOpen311, a page of a city, ${name}: ${requests.perSecond.toFixed(0)}/s, GET /issues ${issues.perSecond.toFixed(0)}/s`)
      goals.push({
        text: `requests.json of a city, ${name}: ${ratio.toFixed(2)} of GET /issues, goal ≥ ${GOAL}`,
        reached: ratio >= GOAL,
      })
    }
    return goals
  } finally {
    await server.stop()
  }
}

const SINCE = '2000-01-01T00:00:00Z'

function issuesPath(city: City) {
  const [west, south, east, north] = boxAround(city, HALF_CITY)
  const box = `min_lng=${west}&min_lat=${south}&max_lng=${east}&max_lat=${north}`
  return { path: `/api/v2/issues?${box}&updated_at_after=${SINCE}&status=open,acknowledged,closed,archived` }
}

const requestsPath = (city: City) => ({
  path: `/open311/v2/requests.json?bbox=${boxAround(city, HALF_CITY).join()}&updated_after=${SINCE}&page_size=20`,
})
