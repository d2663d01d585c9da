import { readFileSync } from 'node:fs'
import pg from 'pg'

import type { Speed } from '../measure.ts'

// A process forked by writer-process.ts with a WriteJob as its argument. It sends `ready`, then the result of each WriteTurn it receives.
// Its connections remain open between turns, like those of a service.
export interface WriteJob {
  readonly databaseUrl: string
  readonly writers: number
  readonly lng: number
  readonly lat: number
  /** Writes per second of all writers; unlimited if absent. */
  readonly perSecond?: number
  /** Number of issues that a transaction reports or changes; 1 by default. */
  readonly concurrency?: number
}

export interface WriteTurn {
  readonly seconds: number
}

export interface WriteSpeed extends Speed {
  /** CPU time of the server for a write, which does not depend on other load on the machine; absent if it cannot be read. */
  readonly processorMs?: number | undefined
}

const REPORTERS = 20_000
/** A new connection reads catalogs, compiles functions and plans each statement five times. */
const WARM_UP_WRITES = 60
/** Half the width of the city in degrees, about 5 km; the city has 330 cells of the finest level. */
const HALF = 0.05

const job = JSON.parse(process.argv[2] ?? '{}') as WriteJob
const concurrency = job.concurrency ?? 1

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

const around = (middle: number) => Array.from({ length: concurrency }, () => middle + (Math.random() * 2 - 1) * HALF)

/** Reports and changes issues alternately while `isContinued` returns true. Returns the milliseconds of each write. */
async function write(client: pg.Client, isContinued: (turn: number) => boolean | Promise<boolean>): Promise<number[]> {
  const milliseconds: number[] = []
  let own: number[] = []
  for (let turn = 0; await isContinued(turn); turn++) {
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
  return milliseconds
}

/** Returns CPU milliseconds of all backends (Linux), or undefined if the server is on another machine. */
function processorTime(): number | undefined {
  try {
    return backends.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)
  } catch {
    return undefined
  }
}

async function takeTurn({ seconds }: WriteTurn): Promise<WriteSpeed> {
  const processorBefore = processorTime()
  const began = performance.now()
  let started = 0
  /** Returns false when the time is over; otherwise waits for the next write if a rate is set. */
  const nextIsDue = async () => {
    if (performance.now() - began >= seconds * 1_000) return false
    const number = concurrency * started++
    const wait = job.perSecond === undefined ? 0 : began + (number * 1_000) / job.perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return true
  }
  const milliseconds = (await Promise.all(clients.map((client) => write(client, nextIsDue)))).flat().sort((a, b) => a - b)
  const took = (performance.now() - began) / 1_000
  const processorAfter = processorTime()
  const percentile = (share: number) =>
    milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
  const writes = concurrency * milliseconds.length
  return {
    perSecond: writes / took,
    p50: percentile(0.5),
    p99: percentile(0.99),
    errors: 0,
    processorMs: processorBefore && processorAfter && (processorAfter - processorBefore) / writes,
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
// The first writer warms up alone, because concurrent new words would get a random number of dictionary rows (docs/adr/0006).
const [first, ...others] = clients
const warmUp = (client: pg.Client) => write(client, (turn) => turn < WARM_UP_WRITES)
if (first) await warmUp(first)
await Promise.all(others.map(warmUp))
process.on('message', (turn: WriteTurn) => void takeTurn(turn).then((speed) => process.send?.(speed)))
process.on('disconnect', () => void Promise.all(clients.map((client) => client.end())))
process.send?.('ready')
