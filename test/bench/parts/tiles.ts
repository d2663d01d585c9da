import { databaseSpeed, loadSpeed, mean, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import { type City } from '../reference.ts'
import { tileOf } from '../reference-tile.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

/* Measures tiles of city centres at zoom 12, compared with ST_AsMVT of the same points, and of zoom 5. */

const TURNS = 3
const RATIO_MIN = 0.8
/** The time of a tile of zoom 5, in times of a tile of zoom 12. */
const COUNTRY_TIMES_MAX = 2

/** A box around the world, whose edge is different in each request. A parameter that the service ignores would not make a tile new. */
const NEW_BOX = '?min_lng=-180&max_lng=180&min_lat=-90&max_lat=89.{new}'

export async function measureTiles(bench: Bench): Promise<readonly Goal[]> {
  const { databaseUrl, connections, seconds, cities, say } = bench
  const server = await startServer(databaseUrl)
  const load = { url: server.url, connections, seconds }
  const newTiles = (zoom: number) =>
    loadSpeed({
      ...load,
      requests: cities.map((city) => ({ path: `${tilePath(city, zoom)}${NEW_BOX}` })),
      areNew: true,
      status: 200,
    })
  const turns: Record<'database' | 'city' | 'country', Speed[]> = { database: [], city: [], country: [] }
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      turns.database.push(await databaseSpeed({ reference: 'tile' }, { ...bench, url: server.url }))
      turns.city.push(await newTiles(12))
      turns.country.push(await newTiles(5))
    }
    const requests = await Promise.all(cities.map((city) => conditionalRequest(server.url, tilePath(city, 12))))
    const unchanged = await loadSpeed({ ...load, requests, areNew: false, status: 304 })
    const repeated = await loadSpeed({ ...load, requests: requests.map(({ path }) => ({ path })), areNew: false, status: 200 })
    const [database, city, country] = [mean(turns.database), mean(turns.city), mean(turns.country)]
    say(`\nTiles of ${cities.length} city centres, ${connections} connections, ${TURNS} alternating turns of ${seconds} s`)
    for (const [name, speed] of Object.entries({ 'ST_AsMVT alone, zoom 12': database, 'zoom 12': city, 'zoom 5': country }))
      say(formatSpeed(name, speed))
    say(formatSpeed('zoom 12, 304', unchanged))
    say(formatSpeed('zoom 12, from memory', repeated))
    return [...goals(database, city, country), ...wrongAnswers([city, country, unchanged, repeated])]
  } finally {
    await server.stop()
  }
}

const tilePath = (city: City, zoom: number) => `/tiles/issues/${tileOf(city, zoom).join('/')}.mvt`

async function conditionalRequest(url: string, path: string) {
  const response = await fetch(`${url}${path}`)
  await response.arrayBuffer()
  return { path, headers: { 'if-none-match': response.headers.get('etag') ?? '' } }
}

function goals(database: Speed, city: Speed, country: Speed): readonly Goal[] {
  const ratio = city.perSecond / database.perSecond
  const times = city.perSecond / country.perSecond
  return [
    { text: `zoom 12 is ${ratio.toFixed(2)} × ST_AsMVT alone, goal ≥ ${RATIO_MIN}`, reached: ratio >= RATIO_MIN },
    {
      text: `zoom 5 takes ${times.toFixed(2)} × the time of zoom 12, goal ≤ ${COUNTRY_TIMES_MAX}`,
      reached: times <= COUNTRY_TIMES_MAX,
    },
  ]
}

function wrongAnswers(speeds: readonly Speed[]): readonly Goal[] {
  const errors = speeds.reduce((sum, speed) => sum + speed.errors, 0)
  return errors > 0 ? [{ text: `${errors} wrong answers of tiles`, reached: false }] : []
}

const formatSpeed = (name: string, { perSecond, p50, p99 }: Speed) =>
  `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(6)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
