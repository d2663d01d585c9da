import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

/** Two processes of the same code differ by several percent, so each round starts new ones. */
const ROUNDS = 3
const TURNS = 5
const REQUESTS = 300
const CONCURRENT = 4
const PERCENT_MAX = 5

/**
 * Compares the processor time of requests with and without tracing, in alternating turns. A second server without tracing shows by how much
 * equal servers differ. The sink of the spans is in this process. Needs Linux.
 */
export async function measureTracing({ databaseUrl, cities, issueIds, say }: Bench): Promise<Goal[]> {
  const sink = createServer((request, response) => void request.resume().once('end', () => response.end('{}'))).listen(
    0,
    '127.0.0.1',
  )
  await once(sink, 'listening')
  const tenth = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(sink.address() as AddressInfo).port}` }
  const settings = [
    { name: 'without', env: {} },
    { name: 'without, again', env: {} },
    { name: 'one of ten traced', env: tenth },
    { name: 'all traced', env: { ...tenth, OTEL_TRACES_SAMPLER_ARG: '1' } },
  ]
  const requests: Readonly<Record<string, (n: number) => string>> = {
    // Each URL is new, so that no kept page answers.
    'GET /issues': (n) => {
      const { lat, lng } = cities[n % cities.length] ?? { lat: 0, lng: 0 }
      return `/api/v2/issues?lat=${lat + n / 1e6}&lng=${lng}&zoom=14`
    },
    'GET /issues/:id': (n) => `/api/v2/issues/${issueIds[n % issueIds.length]}?locale=${n}`,
  }
  const results = Object.entries(requests).map(([request, path]) => ({ request, path, times: settings.map((): number[] => []) }))
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const servers = await Promise.all(settings.map(({ env }) => startServer(databaseUrl, env)))
      try {
        for (const { path, times } of results) await measureRound(servers, path, times)
      } finally {
        await Promise.all(servers.map((server) => server.stop()))
      }
    }
  } finally {
    sink.close()
  }
  return results.flatMap(({ request, times }) => {
    const [without = 0] = times.map(median)
    const rows = settings.map(({ name }, n) => {
      const time = median(times[n] ?? [])
      return { text: `${request}, ${name}`, time, percent: 100 * (time / without - 1) }
    })
    for (const { text, time, percent } of rows)
      say(`${text.padEnd(36)} ${time.toFixed(3)} ms of processor time, ${percent.toFixed(1)} % more`)
    return rows
      .filter(({ text }) => text.endsWith('traced'))
      .map(({ text, percent }) => ({ text: `${text}: ≤ ${PERCENT_MAX} %`, reached: percent <= PERCENT_MAX }))
  })
}

async function measureRound(servers: readonly ServerProcess[], path: (n: number) => string, times: readonly number[][]) {
  for (let turn = 0; turn <= TURNS; turn++)
    for (const [which, server] of turn % 2 === 0 ? [...servers.entries()] : [...servers.entries()].toReversed()) {
      const used = await processorTime(server, (n) => path(turn * REQUESTS + n))
      // The first turn compiles the code.
      if (turn > 0) times[which]?.push(used)
    }
}

/** Returns the milliseconds of processor time for each request. */
async function processorTime({ url, pid }: ServerProcess, path: (n: number) => string): Promise<number> {
  const before = readProcessorMs(pid)
  let next = 0
  const work = async () => {
    for (let n = next++; n < REQUESTS; n = next++) {
      const response = await fetch(url + path(n), { headers: { 'user-agent': 'fixpoint-bench' } })
      if (!response.ok) throw new Error(`${path(n)} answers ${response.status}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  return (readProcessorMs(pid) - before) / REQUESTS
}

/** The time of all threads, to the nanosecond: clock ticks of 10 ms would be three percent of a turn (sched-stats of Linux). */
function readProcessorMs(pid: number): number {
  const folder = `/proc/${pid}/task`
  const times = readdirSync(folder).map((id) => Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0]))
  return times.reduce((sum, time) => sum + time, 0) / 1e6
}
