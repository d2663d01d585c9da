import Type from 'typebox'

import { sql } from '../../../src/database/database.ts'
import { apiPrefix } from '../../../src/http/request/urls.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import type { City } from '../reference.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

/*
 * Measures web pages next to the request of the API that carries the same content. The requests alternate, one at a time, each for
 * another city or issue and with another address, so that neither way profits from the other's cache.
 */

const GOAL = 3
const TURNS = 60
const HALF_BOX = 0.05

interface Pair {
  readonly name: string
  readonly page: string
  readonly api: string
}

const Place = Type.Object({ url_name: Type.String() })

/** Compares the median time of each page with that of its request. */
export async function measurePageSpeed(bench: Bench): Promise<readonly Goal[]> {
  const { databaseUrl, say } = bench
  const turns = await turnsOf(bench)
  const server = await startServer(databaseUrl)
  const times = new Map<string, { page: number[]; api: number[] }>()
  try {
    for (const [turn, pairs] of turns.entries()) {
      for (const { name, page, api } of pairs) {
        const own = times.get(name) ?? { page: [], api: [] }
        times.set(name, own)
        own.api.push(await timeOf(`${server.url}${apiPrefix}${api}`, `${turn}a`))
        own.page.push(await timeOf(`${server.url}${page}`, `${turn}p`))
      }
    }
  } finally {
    await server.stop()
  }
  say(`\n${'pages, median ms of one request'.padEnd(38)}    page     API   ratio`)
  return [...times].map(([name, { page, api }]) => {
    // The first turns compile the code.
    const [pageMs, apiMs] = [median(page.slice(5)), median(api.slice(5))]
    const ratio = pageMs / apiMs
    say(name.padEnd(38) + [pageMs, apiMs, ratio].map((value) => value.toFixed(2).padStart(8)).join(''))
    return { text: `${name} takes ${ratio.toFixed(2)} × the time of the API, goal ≤ ${GOAL}`, reached: ratio <= GOAL }
  })
}

async function timeOf(url: string, unique: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(`${url}${url.includes('?') ? '&' : '?'}turn=${unique}`, { headers: { accept: '*/*' } })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url}: the answer was ${response.status}`)
  return performance.now() - began
}

async function turnsOf({ db, cities, issueIds }: Bench): Promise<Pair[][]> {
  const places = await db.query(sql.type(Place)`SELECT p.url_name FROM places p ORDER BY p.id LIMIT ${TURNS}`)
  return Array.from({ length: TURNS }, (_, turn) => {
    const city = cities[turn % cities.length] as City
    const box = boxAround(city)
    const place = places[turn % places.length]?.url_name ?? ''
    const id = issueIds[turn % issueIds.length] ?? 1
    return [
      { name: 'the map of a box', page: `/?${box}`, api: `/issues?${box}` },
      { name: 'the map of a box, searched', page: `/?${box}&search=pothole`, api: `/issues?${box}&search=pothole` },
      { name: 'the map of everything', page: '/', api: '/issues' },
      { name: 'the page of a place', page: `/places/${place}`, api: `/issues?place_url=${place}` },
      { name: 'the page of an issue', page: `/issues/${id}`, api: `/issues/${id}` },
      { name: 'the list of places', page: '/places', api: `/places?lat=${city.lat}&lng=${city.lng}` },
    ]
  })
}

function boxAround({ lng, lat }: City): string {
  const of = (degrees: number) => degrees.toFixed(6)
  return `min_lat=${of(lat - HALF_BOX)}&max_lat=${of(lat + HALF_BOX)}&min_lng=${of(lng - HALF_BOX)}&max_lng=${of(lng + HALF_BOX)}`
}
