import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

import { sql } from '../../../src/database/database.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import type { StreamJob, StreamSpeed } from '../load/stream-load.ts'
import { peakMemoryMb, processorMs } from '../measure.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { whileRollingUp } from './writers.ts'

const STREAMS = Number(process.env['BENCH_STREAMS'] ?? 10_000)
const CHANGES_PER_S = 500
const WRITERS = 16
const MEASURED_S = 20
const TURNS = 9
const TURN_S = 3
const MEMORY_MAX_MB = 600
const P99_MAX_MS = 1_000
const WRITERS_MIN = 0.95
/** Half the width of a polygon in degrees, about 1 km. */
const HALF = 0.009
const FIELDS = 'fields[issue]=lng,lat,status,summary'

/** Measures streams of one process while issues everywhere change: each with a polygon of its own around an issue, then all on one city. Needs Linux. */
export async function measureLive({ db, databaseUrl, cities, say }: Bench): Promise<Goal[]> {
  const points = await queryRows<{ lng: number; lat: number }>(
    db,
    sql`SELECT i.lng, i.lat FROM issues i WHERE i.moderation_state = 'passed' ORDER BY md5(i.id::text) LIMIT ${STREAMS}`,
  )
  const own = points.map(({ lng, lat }) => `/api/v2/changes/stream?${FIELDS}&area=${encodeURIComponent(hexagon(lng, lat))}`)
  const city = own.map(() => `/api/v2/changes/stream?${FIELDS}&place_url=city-${cities[0]?.id}`)
  const writers = await openWriters(databaseUrl)
  try {
    return await whileRollingUp(db, async () => [
      ...(await measure('own polygons', own, { databaseUrl, writers, say })),
      ...(await measure('one city', city, { databaseUrl, writers, say })),
    ])
  } finally {
    await writers.close()
  }
}

function hexagon(lng: number, lat: number): string {
  const corner = (n: number) => [lng + HALF * Math.cos((n * Math.PI) / 3), lat + HALF * Math.sin((n * Math.PI) / 3)]
  return JSON.stringify({ type: 'Polygon', coordinates: [[0, 1, 2, 3, 4, 5, 0].map(corner)] })
}

interface Setting {
  readonly databaseUrl: string
  readonly writers: Awaited<ReturnType<typeof openWriters>>
  readonly say: (line: string) => void
}

async function measure(name: string, paths: readonly string[], { databaseUrl, writers, say }: Setting): Promise<Goal[]> {
  const server = await startServer(databaseUrl, { TRUST_PROXY: '1', STREAM_SECONDS_MAX: '3600' })
  const streams = fork(fileURLToPath(new URL('../load/stream-load.ts', import.meta.url)))
  try {
    streams.send({ url: server.url, paths } satisfies StreamJob)
    await once(streams, 'message')
    await writers.write(3, CHANGES_PER_S)
    await ask(streams, 'begin')
    const before = processorMs(server.pid)
    const { perSecond } = await writers.write(MEASURED_S, CHANGES_PER_S)
    const busy = (processorMs(server.pid) - before) / MEASURED_S / 10
    await pause(1_000)
    const { events, p50, p99 } = await ask(streams, 'end')
    const memory = peakMemoryMb(server.pid) ?? Number.NaN
    const ratios = await compareWriters(writers, server, streams)
    say(
      `${paths.length} streams, ${name}: ${perSecond.toFixed(0)} changes/s, ${(events / MEASURED_S).toFixed(0)} events/s, p50 ${p50} ms, p99 ${p99} ms, ${memory} MB, ` +
        `${busy.toFixed(0)} % of a core; writers as fast as they can: ${ratios.speed.toFixed(2)} of their speed, ${(1 / ratios.work).toFixed(2)} of the work for each processor second`,
    )
    const goal = (text: string, reached: boolean) => ({ text: `${paths.length} streams, ${name}: ${text}`, reached })
    return [
      goal(`${memory} MB, goal ≤ ${MEMORY_MAX_MB}`, memory <= MEMORY_MAX_MB),
      goal(`p99 ${p99} ms, goal ≤ ${P99_MAX_MS}`, p99 <= P99_MAX_MS),
      goal(
        `writers ${(1 / ratios.work).toFixed(2)} for each processor second, goal ≥ ${WRITERS_MIN}`,
        1 / ratios.work >= WRITERS_MIN,
      ),
    ]
  } finally {
    streams.disconnect()
    await server.stop()
  }
}

async function ask(streams: ChildProcess, message: 'begin' | 'end'): Promise<StreamSpeed> {
  streams.send(message)
  const [answer] = (await once(streams, 'message')) as [StreamSpeed]
  return answer
}

/** The streams are stopped in every other turn. All share the processors, so the time of the writers' backends for a write counts, too, next to their speed. */
async function compareWriters(writers: Setting['writers'], { pid }: ServerProcess, streams: ChildProcess) {
  const [speeds, works]: [number[], number[]] = [[], []]
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const one of [pid, streams.pid ?? 0]) process.kill(one, name)
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const live = await writers.write(TURN_S)
    signal('SIGSTOP')
    const alone = await writers.write(TURN_S).finally(() => signal('SIGCONT'))
    await pause(1_000)
    speeds.push(live.perSecond / alone.perSecond)
    works.push(live.processorMs / alone.processorMs)
  }
  return { speed: median(speeds), work: median(works) }
}

async function openWriters(databaseUrl: string) {
  const clients = Array.from({ length: WRITERS }, () => new pg.Client(databaseUrl))
  const pids: number[] = []
  for (const client of clients) {
    await client.connect()
    pids.push((await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0)
  }
  const { rows } = (await clients[0]?.query<{ max: number }>('SELECT max(id) FROM issues')) ?? { rows: [] }
  const idMax = rows[0]?.max ?? 1
  const used = () => pids.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)
  return {
    /** Changes issues everywhere, `perSecond` or as fast as possible. */
    async write(seconds: number, perSecond = Infinity) {
      const [began, usedBefore] = [performance.now(), used()]
      let count = 0
      const work = async (client: pg.Client) => {
        while (performance.now() - began < seconds * 1_000) {
          const due = began + (count++ * 1_000) / perSecond - performance.now()
          if (due > 0) await pause(due)
          const values = [1 + Math.floor(Math.random() * idMax)]
          await client.query({ name: 'change', text: 'UPDATE issues SET base_rating = base_rating + 1 WHERE id = $1', values })
        }
      }
      await Promise.all(clients.map(work))
      return { perSecond: count / seconds, processorMs: (used() - usedBefore) / count }
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  }
}
