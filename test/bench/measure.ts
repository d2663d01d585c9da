import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { apiPrefix } from '../../src/http/request/urls.ts'
import type { OpenLoop, OpenLoopJob } from './load/open-loop.ts'
import type { City } from './reference.ts'
import type { BenchRow } from './rows.ts'

/** Responses with the expected status. */
export interface Speed {
  readonly perSecond: number
  /** Latencies are in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Number of other responses and of broken connections. */
  readonly errors: number
}

export interface Setting {
  readonly databaseUrl: string
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly cities: readonly City[]
  readonly issueIds: readonly number[]
}

const run = promisify(execFile)
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The load runs in another process, so that it does not slow down the measured one. */
async function measured<Result = Speed>(name: string, argument: string): Promise<Result> {
  const { stdout } = await run(process.execPath, [script(name), argument], { maxBuffer: 1 << 26 })
  return JSON.parse(stdout) as Result
}

export function databaseSpeed(
  row: Pick<BenchRow, 'reference'>,
  { databaseUrl, connections, seconds, cities, issueIds }: Setting,
): Promise<Speed> {
  return measured(
    'load/database-loop.ts',
    JSON.stringify({ databaseUrl, name: row.reference, connections, seconds, cities, issueIds }),
  )
}

/** Requests with their headers, each of which must get the status. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly requests: readonly { readonly path: string; readonly headers?: Record<string, string> }[]
  /** True makes each URL new: a number replaces `{new}` in its path, or it gets a parameter that the service ignores. */
  readonly areNew: boolean
  readonly status: number
  /** True makes each connection that of another client. The server must trust one proxy. */
  readonly areManyClients?: boolean
}

export async function httpSpeed(row: BenchRow, setting: Setting): Promise<Speed> {
  const { url, connections, seconds } = setting
  const requests = await requestsOf(row, setting)
  const areNew = (row.requests ?? 'first') === 'first'
  return loadSpeed({ url, connections, seconds, requests, areNew, status: row.requests === 'conditional' ? 304 : 200 })
}

/** Sends `perSecond` first requests of the row each second, however fast they are answered. */
export async function openLoopSpeed(row: BenchRow, setting: Setting, perSecond: number): Promise<OpenLoop> {
  const { url, seconds } = setting
  const paths = (await requestsOf(row, setting)).map(({ path }) => path)
  return measured<OpenLoop>('load/open-loop.ts', JSON.stringify({ url, paths, perSecond, seconds } satisfies OpenLoopJob))
}

export async function loadSpeed(load: Load): Promise<Speed> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  try {
    const file = join(folder, 'load.json')
    writeFileSync(file, JSON.stringify(load))
    return await measured('load/http-load.ts', file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function requestsOf({ path, requests }: BenchRow, { url, cities, issueIds }: Setting) {
  const paths = cities.map((city, n) => `${apiPrefix}${path?.(city, issueIds[n % issueIds.length] ?? 1) ?? ''}`)
  if (requests !== 'conditional') return paths.map((one) => ({ path: one }))
  return Promise.all(
    paths.map(async (one) => {
      const response = await fetch(`${url}${one}`)
      await response.arrayBuffer()
      return { path: one, headers: { 'if-none-match': response.headers.get('etag') ?? '' } }
    }),
  )
}

/** Measures both sides alternately, twice, and returns the means, so that other load on the machine affects both. */
export async function compare(row: BenchRow, setting: Setting): Promise<{ database: Speed; http?: Speed }> {
  const [database, http]: [Speed[], Speed[]] = [[], []]
  for (let turn = 0; turn < 2; turn++) {
    database.push(await databaseSpeed(row, setting))
    if (row.path) http.push(await httpSpeed(row, setting))
  }
  return http.length > 0 ? { database: mean(database), http: mean(http) } : { database: mean(database) }
}

export function mean(speeds: readonly Speed[]): Speed {
  const of = (pick: (speed: Speed) => number) => speeds.reduce((sum, speed) => sum + pick(speed), 0) / speeds.length
  return {
    perSecond: of((s) => s.perSecond),
    p50: of((s) => s.p50),
    p99: of((s) => s.p99),
    errors: of((s) => s.errors) * speeds.length,
  }
}

/** Returns the processor time of a process in milliseconds, or 0 if the system does not report it. Linux counts in hundredths of a second. */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}

/** Returns the peak memory of a process in MB, or undefined if the system does not report it. */
export function peakMemoryMb(pid: number): number | undefined {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return line ? Math.round(Number(line[1]) / 1024) : undefined
  } catch {
    return undefined
  }
}
