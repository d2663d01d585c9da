import pg from 'pg'

import { type City, reference, type ReferenceName } from '../reference.ts'
import { WARM_UP_SECONDS } from './warm-up.ts'

/* A process that runs a row's reference statements in a loop. Its argument is a Job as JSON; it prints the result as JSON. */
interface Job {
  readonly databaseUrl: string
  readonly name: ReferenceName
  readonly connections: number
  readonly seconds: number
  readonly cities: readonly City[]
  readonly issueIds: readonly number[]
}

const job = JSON.parse(process.argv[2] ?? '{}') as Job
const measuredFrom = performance.now() + WARM_UP_SECONDS * 1_000
const until = measuredFrom + job.seconds * 1_000
const milliseconds: number[] = []

async function loop(start: number): Promise<void> {
  const client = new pg.Client({ connectionString: job.databaseUrl, options: '-c timezone=UTC -c jit=off' })
  await client.connect()
  for (let turn = start; performance.now() < until; turn++) {
    const [city, issueId] = [job.cities[turn % job.cities.length], job.issueIds[turn % job.issueIds.length]]
    const began = performance.now()
    if (city && issueId !== undefined) await reference[job.name](client, city, issueId)
    if (began >= measuredFrom) milliseconds.push(performance.now() - began)
  }
  await client.end()
}

await Promise.all(Array.from({ length: job.connections }, (_, n) => loop(n * 37)))
const seconds = (performance.now() - measuredFrom) / 1_000
milliseconds.sort((a, b) => a - b)
const percentile = (share: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
process.stdout.write(
  JSON.stringify({ perSecond: milliseconds.length / seconds, p50: percentile(0.5), p99: percentile(0.99), errors: 0 }),
)
