import { get, type IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { escapeLiteral } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

import type { Sql } from '../../../src/database/database.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { BEGIN_SNAPSHOT } from '../../../src/database/snapshot.ts'
import { statuses } from '../../../src/issue-lifecycle/status.ts'
import { recordColumns } from '../../../src/issues/records/columns.ts'
import { recordsStatement } from '../../../src/issues/records/queries.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { residentMb } from '../resident.ts'
import { startServer } from '../server-process.ts'

/* Compares whole downloads with COPY of the same columns by the same statement, and measures the memory of the server meanwhile. */

const TURNS = 3
const RATIO_MIN = 0.3
const MEMORY_MAX_MB = 150
const SAMPLE_MS = 100
/** A server that has just started still frees and allocates memory. */
const SETTLE_MS = 3_000

const speedFormats = ['geojson', 'csv'] as const
const memoryFormats = ['geojson', 'csv', 'fgb', 'parquet'] as const
const pathOf = (format: string) => `/exports/issues.${format}?status=${statuses.join(',')}`

export async function measureExports({ db, databaseUrl, say }: Bench): Promise<readonly Goal[]> {
  return [...(await measureSpeeds(db, databaseUrl, say)), ...(await measureMemory(databaseUrl, say))]
}

interface Transfer {
  readonly rows: number
  readonly bytes: number
  readonly perSecond: number
}

async function measureSpeeds(db: PostgresDatabase, databaseUrl: string, say: Bench['say']): Promise<Goal[]> {
  const statement = recordsStatement({ filter: { area: { kind: 'everywhere' }, statuses }, rowColumns: recordColumns(null) })
  const server = await startServer(databaseUrl)
  const copies: Transfer[] = []
  const downloads = new Map<string, Transfer[]>(speedFormats.map((format) => [format, []]))
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      copies.push(await measureTransfer((count) => copyRows(db, statement, count)))
      for (const format of speedFormats)
        downloads.get(format)?.push(await measureTransfer((count) => download(`${server.url}${pathOf(format)}`, count)))
    }
  } finally {
    await server.stop()
  }
  say(`\nwhole downloads, ${TURNS} alternating turns`)
  say(formatSpeed('COPY', copies))
  return [...downloads].map(([format, transfers]) => {
    say(formatSpeed(format, transfers))
    const ratio = medianSpeed(transfers) / medianSpeed(copies)
    return { text: `${format} is ${ratio.toFixed(2)} of COPY, goal ≥ ${RATIO_MIN}`, reached: ratio >= RATIO_MIN }
  })
}

const medianSpeed = (transfers: readonly Transfer[]) => median(transfers.map(({ perSecond }) => perSecond))

const formatSpeed = (name: string, transfers: readonly Transfer[]) =>
  `${name}: ${medianSpeed(transfers).toFixed(0)} rows/s of ${transfers[0]?.rows} rows, ${((transfers[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`

/** @param transfer returns the number of rows, and reports the bytes of each chunk */
async function measureTransfer(transfer: (count: (bytes: number) => void) => Promise<number>): Promise<Transfer> {
  let bytes = 0
  const began = performance.now()
  const rows = await transfer((length) => (bytes += length))
  return { rows, bytes, perSecond: (rows * 1_000) / (performance.now() - began) }
}

const counter = (count: (bytes: number) => void) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      count(chunk.length)
      done()
    },
  })

/** COPY takes no parameters, so their values are in its text. */
async function copyRows(db: PostgresDatabase, { text, values }: Sql, count: (bytes: number) => void): Promise<number> {
  const query = text.replaceAll(/\$(\d+)/g, (_, number: string) => toLiteral(values[Number(number) - 1]))
  const client = await db.pool.connect()
  try {
    await client.query(`BEGIN; ${BEGIN_SNAPSHOT}`)
    const rows = client.query(copyTo(`COPY (${query}) TO STDOUT`))
    await pipeline(rows, counter(count))
    await client.query('COMMIT')
    return rows.rowCount
  } finally {
    client.release(true)
  }
}

const toLiteral = (value: unknown): string =>
  escapeLiteral(Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join(',')}}` : String(value))

/** @throws Error for any status but 200 */
async function download(url: string, count: (bytes: number) => void): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { 'user-agent': 'bench' } }, resolve).once('error', reject)
  })
  await pipeline(response, counter(count))
  if (response.statusCode !== 200) throw new Error(`${url} returned ${response.statusCode}`)
  return Number(response.headers['x-total-count'])
}

async function measureMemory(databaseUrl: string, say: Bench['say']): Promise<Goal[]> {
  const goals: Goal[] = []
  for (const format of memoryFormats) {
    const server = await startServer(databaseUrl)
    try {
      await wait(SETTLE_MS)
      const idle = residentMb(server.pid)
      let peak = idle
      const sampling = setInterval(() => (peak = Math.max(peak, residentMb(server.pid))), SAMPLE_MS)
      const rows = await download(`${server.url}${pathOf(format)}`, () => undefined).finally(() => clearInterval(sampling))
      say(`${format}: ${rows} rows, ${idle} MB idle, ${peak} MB at the peak`)
      goals.push({
        text: `${format} needs ${peak - idle} MB above idle, goal ≤ ${MEMORY_MAX_MB}`,
        reached: peak - idle <= MEMORY_MAX_MB,
      })
    } finally {
      await server.stop()
    }
  }
  return goals
}
