import { readFileSync } from 'node:fs'
import pg from 'pg'

import type { Speed } from './measure.ts'

/*
 * A process of its own: writers that report issues in one city and change their status, each a transaction of one statement; prints what it measured as
 * JSON, an issue that was reported or changed being a write.
 * node test/bench/write-load.ts '{"databaseUrl": …, "writers": 16, "seconds": 5, "lng": 80.1, "lat": -10.1}'
 */
export interface WriteJob {
  readonly databaseUrl: string
  readonly writers: number
  readonly seconds: number
  readonly lng: number
  readonly lat: number
  /** Writes of all writers together; without it they write as fast as they can. */
  readonly perSecond?: number
  /** How many issues a transaction reports or changes; one without it. */
  readonly atOnce?: number
}

export interface WriteSpeed extends Speed {
  /** Of the server's own time for a write, which says more than clocks where the machine has other work; absent where it cannot be read. */
  readonly processorMs?: number | undefined
}

const REPORTERS = 20_000
/** Some 5 km to each side: a city of some thousand cells. */
const HALF = 0.05

const job = JSON.parse(process.argv[2] ?? '{}') as WriteJob
const atOnce = job.atOnce ?? 1
const begun = performance.now()
const until = begun + job.seconds * 1_000
const milliseconds: number[] = []
let started = 0

const report = {
  name: 'report',
  text: `INSERT INTO issues (summary, description, category, lng, lat, address, request_type_id, reporter_id, created_at, updated_at)
    SELECT 'Pothole near the school', 'About 30 cm wide, cars swerve around it.', 'pothole', k.lng, k.lat, '1437 Bannock St', 1, $3, now(), now()
    FROM unnest($1::double precision[], $2::double precision[]) k (lng, lat)
    RETURNING id`,
}
const change = {
  name: 'change',
  text: `UPDATE issues SET status = $2, acknowledged_at = now(), updated_at = now() WHERE id = ANY($1::integer[])`,
}

const around = (middle: number) => Array.from({ length: atOnce }, () => middle + (Math.random() * 2 - 1) * HALF)

/** Waits until this write is due, where there is a rate. */
async function due(): Promise<void> {
  const number = atOnce * started++
  if (job.perSecond === undefined) return
  const wait = begun + (number * 1_000) / job.perSecond - performance.now()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
}

async function write(client: pg.Client): Promise<void> {
  let own: number[] = []
  for (let turn = 0; performance.now() < until; turn++) {
    await due()
    const began = performance.now()
    if (turn % 2 === 0) {
      const reporter = 1 + Math.floor(Math.random() * REPORTERS)
      const { rows } = await client.query<{ id: number }>({ ...report, values: [around(job.lng), around(job.lat), reporter] })
      own = rows.map(({ id }) => id)
    } else {
      await client.query({ ...change, values: [own, 'Acknowledged'] })
    }
    milliseconds.push(performance.now() - began)
  }
}

/** Milliseconds of all backends, as Linux counts them; undefined where the server is on another machine. */
function processorTime(): number | undefined {
  try {
    return backends.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)
  } catch {
    return undefined
  }
}

const clients = Array.from(
  { length: job.writers },
  () => new pg.Client({ connectionString: job.databaseUrl, options: '-c jit=off' }),
)
await Promise.all(clients.map((client) => client.connect()))
const backends = await Promise.all(
  clients.map(async (client) => (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0),
)
await Promise.all(clients.map(write))
const seconds = (performance.now() - begun) / 1_000
const processorMs = processorTime()
await Promise.all(clients.map((client) => client.end()))
milliseconds.sort((a, b) => a - b)
const percentile = (share: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
process.stdout.write(
  JSON.stringify({
    perSecond: (atOnce * milliseconds.length) / seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    errors: 0,
    processorMs: processorMs && processorMs / (atOnce * milliseconds.length),
  } satisfies WriteSpeed),
)
