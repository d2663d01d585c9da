import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'

const TURNS = 20
/** Spans are sent in batches. */
const REQUESTS = 300
const WARM_UP_TURNS = 3
const CONCURRENT = 4
const PERCENT_MAX = 5
/** A client that traces its request has it traced. */
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/**
 * Compares the processor time of requests with and without tracing, in short alternating turns, of one process (test/bench/tracing-server.ts). Turns
 * that are equal show how precise that is. The sink of the spans is in this process.
 */
export async function measureTracing({ databaseUrl, cities, issueIds, say }: Bench): Promise<Goal[]> {
  const sink = createServer((request, response) => void request.resume().once('end', () => response.end('{}'))).listen(
    0,
    '127.0.0.1',
  )
  await once(sink, 'listening')
  const child = fork(fileURLToPath(new URL('../tracing-server.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: 'http://127.0.0.1',
      RATE_LIMIT: '1000000000',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(sink.address() as AddressInfo).port}`,
    },
  })
  const [{ without, traced }] = (await once(child, 'message')) as [Readonly<Record<'without' | 'traced', string>>]
  const kinds = [
    { name: 'without', url: without },
    { name: 'without, again', url: without },
    { name: 'one of ten traced', url: traced, isGoal: true },
    { name: 'all traced', url: traced, headers: { traceparent: TRACEPARENT }, isGoal: true },
  ]
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
      const times: number[][] = kinds.map(() => [])
      let sent = 0
      for (let turn = 0; turn < WARM_UP_TURNS + TURNS; turn++)
        for (const which of shuffledKeys(kinds)) {
          const { url, headers } = kinds[which] ?? { url: '' }
          const used = await processorTime(child, url, headers, () => path(sent++))
          // The first turns compile the code.
          if (turn >= WARM_UP_TURNS) times[which]?.push(used)
        }
      const base = (lowerQuartile(times[0]) + lowerQuartile(times[1])) / 2
      for (const [n, { name: kind, isGoal }] of kinds.entries()) {
        const what = `${name}, ${kind}`
        const time = lowerQuartile(times[n])
        const percent = 100 * (time / base - 1)
        say(`${what.padEnd(36)} ${time.toFixed(3)} ms of processor time, ${percent.toFixed(1)} % more`)
        if (isGoal) goals.push({ text: `${what}: ≤ ${PERCENT_MAX} %`, reached: percent <= PERCENT_MAX })
      }
    }
    return goals
  } finally {
    child.disconnect()
    sink.close()
  }
}

const shuffledKeys = (list: readonly unknown[]) =>
  list
    .map((_, key) => ({ key, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ key }) => key)

/** Other load of the machine only adds to a time. */
const lowerQuartile = (times: readonly number[] = []) => times.toSorted((a, b) => a - b)[times.length >> 2] ?? 0

/** Returns the milliseconds of processor time for each request. */
async function processorTime(child: ChildProcess, url: string, headers: object = {}, path: () => string): Promise<number> {
  const before = await readProcessorMs(child)
  let left = REQUESTS
  const work = async () => {
    while (left-- > 0) {
      const response = await fetch(url + path(), { headers: { 'user-agent': 'fixpoint-bench', ...headers } })
      if (!response.ok) throw new Error(`${response.url} answers ${response.status}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  return ((await readProcessorMs(child)) - before) / REQUESTS
}

async function readProcessorMs(child: ChildProcess): Promise<number> {
  child.send('read')
  const [time] = (await once(child, 'message')) as [number]
  return time
}
