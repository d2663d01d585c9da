import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

const TURNS = 9
const REQUESTS = 300
const CONCURRENT = 4
const PERCENT_MAX = 5

/** Compares the processor time of requests with and without tracing, in alternating turns. The sink of the spans is in this process. Needs Linux. */
export async function measureTracing({ databaseUrl, cities, issueIds, say }: Bench): Promise<Goal[]> {
  const sink = createServer((request, response) => void request.resume().once('end', () => response.end('{}'))).listen(
    0,
    '127.0.0.1',
  )
  await once(sink, 'listening')
  const endpoint = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`
  const tenth = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
  const all = { ...tenth, OTEL_TRACES_SAMPLER_ARG: '1' }
  const settings = [{}, all, tenth]
  const servers = await Promise.all(settings.map((env) => startServer(databaseUrl, env)))
  const requests: Readonly<Record<string, (n: number) => string>> = {
    // Each URL is new, so that no kept page answers.
    'GET /issues': (n) => {
      const { lat, lng } = cities[n % cities.length] ?? { lat: 0, lng: 0 }
      return `/api/v2/issues?lat=${lat + n / 1e6}&lng=${lng}&zoom=14`
    },
    'GET /issues/:id': (n) => `/api/v2/issues/${issueIds[n % issueIds.length]}?locale=${n}`,
  }
  const goals: Goal[] = []
  try {
    for (const [name, path] of Object.entries(requests)) {
      const times: number[][] = settings.map(() => [])
      for (let turn = 0; turn <= TURNS; turn++)
        for (const [which, server] of turn % 2 === 0 ? [...servers.entries()] : [...servers.entries()].toReversed()) {
          const used = await processorTime(server, (n) => path(turn * REQUESTS + n))
          // The first turn compiles the code.
          if (turn > 0) times[which]?.push(used)
        }
      const [without = 0, ...traced] = times.map(median)
      for (const [n, time] of traced.entries()) {
        const what = `${name}, ${n === 0 ? 'all' : 'one of ten'} traced`
        const percent = 100 * (time / without - 1)
        say(
          `${what.padEnd(36)} ${without.toFixed(2)} ms of processor time, ${time.toFixed(2)} ms with tracing: ${percent.toFixed(1)} % more`,
        )
        goals.push({ text: `${what}: ≤ ${PERCENT_MAX} %`, reached: percent <= PERCENT_MAX })
      }
    }
    return goals
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    sink.close()
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
