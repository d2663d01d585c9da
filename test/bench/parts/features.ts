import Type from 'typebox'

import { Count, sql } from '../../../src/database/database.ts'
import { loadSpeed, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import { type City } from '../reference.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

/*
 * Measures pages of 1,000 features of a box, in which there are a few more, as OGC API Features sends them: with all properties, and with
 * as many as other feature servers sent when they were measured. A new box is read, a repeated one is in memory.
 */

const LIMIT = 1_000
const GOAL = 165
const HALF_WIDTHS = [0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12]
const FEED_PAGES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const ITEMS = '/ogc/collections/issues/items'
const SEVEN = 'properties=id,status,summary,description,rating_count,created_at,updated_at'

export async function measureFeatures(bench: Bench): Promise<readonly Goal[]> {
  const { databaseUrl, connections, seconds, say } = bench
  const paths = (await Promise.all(bench.cities.slice(0, 20).map((city) => boxPath(bench, city)))).filter(
    (path) => path !== undefined,
  )
  // One client may have two requests at a time, which leaves cores unused.
  const server = await startServer(databaseUrl, { TRUST_PROXY: '1' })
  try {
    const load = { url: server.url, connections, seconds, status: 200, areManyClients: true }
    const seven = paths.map((path) => `${path}&${SEVEN}`)
    const newBoxes = (some: readonly string[]) => loadSpeed({ ...load, requests: some.map((path) => ({ path })), areNew: true })
    const repeatedBoxes = (some: readonly string[]) =>
      loadSpeed({ ...load, requests: some.map((path) => ({ path: withoutNumber(path) })), areNew: false })
    const speeds = {
      'all properties, new boxes': await newBoxes(paths),
      'all properties, repeated boxes': await repeatedBoxes(paths),
      'seven properties, new boxes': await newBoxes(seven),
      'seven properties, repeated boxes': await repeatedBoxes(seven),
    }
    const pages = await newBoxes(paths.flatMap(toFeedPages))
    const conditional = await Promise.all(
      paths.map(withoutNumber).map(async (path) => {
        const response = await fetch(`${server.url}${path}`)
        await response.arrayBuffer()
        return { path, headers: { 'if-none-match': response.headers.get('etag') ?? '' } }
      }),
    )
    const unchanged = await loadSpeed({ ...load, requests: conditional, areNew: false, status: 304 })
    say(`\n${LIMIT} features of a box as GeoJSON, ${paths.length} boxes, ${connections} clients`)
    for (const [name, speed] of Object.entries({ ...speeds, '304 Not Modified': unchanged })) say(formatSpeed(name, speed))
    say(
      formatSpeed('for comparison, in ten pages of 100 of the feed', { ...pages, perSecond: pages.perSecond / FEED_PAGES.length }),
    )
    return Object.entries(speeds).map(([name, { perSecond }]) => ({
      text: `${LIMIT} features, ${name}: ${perSecond.toFixed(0)}/s, goal ≥ ${GOAL}`,
      reached: perSecond >= GOAL,
    }))
  } finally {
    await server.stop()
  }
}

/** The same features in the way that clients had before. The bytes of a feature are about the same. */
function toFeedPages(path: string): string[] {
  const [west, south, east, north] = new URLSearchParams(path.split('?')[1]).get('bbox')?.split(',') ?? []
  const corners = `min_lng=${west}&min_lat=${south}&max_lng=${east}&max_lat=${north}`
  return FEED_PAGES.map((page) => `/feeds/issues.geojson?${corners}&per_page=100&page=${page}`)
}

/** A number after the digits of a corner makes the box new. */
const withoutNumber = (path: string) => path.replace('{new}', '')

const formatSpeed = (name: string, { perSecond, p50, p99, errors }: Speed) =>
  `${name}: ${perSecond.toFixed(1)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${errors} errors`

const Total = Type.Object({ entries: Count })

/** Returns the smallest of the boxes around a city that has enough issues. */
async function boxPath({ db }: Bench, { lng, lat }: City): Promise<string | undefined> {
  for (const half of HALF_WIDTHS) {
    const corners = [lng - half, lat - half, lng + half, lat + half].map((degrees) => Number(degrees.toFixed(6)))
    const [west = 0, south = 0, east = 0, north = 0] = corners
    const [total] = await db.query(sql.type(
      Total,
    )`SELECT count(*)::integer AS entries FROM issues i WHERE i.moderation_state = 'passed' AND i.status <> 'Archived'
      AND i.point && ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`)
    if ((total?.entries ?? 0) > LIMIT) return `${ITEMS}?bbox=${west.toFixed(6)}{new},${south},${east},${north}&limit=${LIMIT}`
  }
  return undefined
}
