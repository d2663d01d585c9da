import { httpSpeed, mean, type Setting, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { type BenchRow, benchRows } from '../rows.ts'
import { startServer } from '../server-process.ts'

/* Compares two web processes with one on the same cores. In both cases two loads have half of the connections each. */
const TURNS = 2
const ROW = 'city box, first page'

export async function measureProcesses(bench: Bench): Promise<readonly Goal[]> {
  const row = findRow()
  const [first, second] = [await startServer(bench.databaseUrl), await startServer(bench.databaseUrl)]
  const speeds = { one: [] as Speed[], two: [] as Speed[] }
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      speeds.one.push(...(await together(row, bench, [first.url, first.url])))
      speeds.two.push(...(await together(row, bench, [first.url, second.url])))
    }
  } finally {
    await first.stop()
    await second.stop()
  }
  const perSecond = (all: readonly Speed[]) => all.reduce((sum, speed) => sum + speed.perSecond, 0) / TURNS
  const [one, two] = [perSecond(speeds.one), perSecond(speeds.two)]
  const p99 = (all: readonly Speed[]) => Math.max(...all.map((speed) => speed.p99)).toFixed(1)
  bench.say(
    `\n${ROW}: ${one.toFixed(0)}/s of one web process (p99 ${p99(speeds.one)} ms), ${two.toFixed(0)}/s of two (p99 ${p99(speeds.two)} ms), ${(two / one).toFixed(2)} ×`,
  )
  const wrong = [...speeds.one, ...speeds.two].reduce((sum, { errors }) => sum + errors, 0)
  return [
    { text: `two web processes are ${(two / one).toFixed(2)} × one, ${wrong} wrong answers, goal: none`, reached: wrong === 0 },
  ]
}

function together(row: BenchRow, bench: Bench, urls: readonly string[]): Promise<Speed[]> {
  const connections = Math.ceil(bench.connections / urls.length)
  return Promise.all(urls.map((url) => httpSpeed(row, { ...bench, connections, url } satisfies Setting)))
}

function findRow(): BenchRow {
  const row = benchRows.find(({ name }) => name === ROW)
  if (!row) throw new Error(`The row ${ROW} does not exist.`)
  return row
}

/* Sends four times as many requests per second as the service can answer, and compares its good answers with those without overload. */
const TIMES = 4
const SHARE_MIN = 0.8
const P99_MAX_MS = 3_000
/** A connection waits for up to half a second, so that so many connections per request and second keep the rate. */
const CONNECTIONS_PER_RATE = 0.6
const CONNECTIONS_MAX = 1_000

export async function measureOverload(bench: Bench): Promise<readonly Goal[]> {
  const row = findRow()
  const server = await startServer(bench.databaseUrl)
  const [best, overload]: [Speed[], Speed[]] = [[], []]
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      const capacity = await httpSpeed(row, { ...bench, url: server.url })
      const perSecond = TIMES * Math.round(capacity.perSecond)
      const connections = Math.min(CONNECTIONS_MAX, Math.ceil(CONNECTIONS_PER_RATE * perSecond))
      best.push(capacity)
      overload.push(await httpSpeed(row, { ...bench, url: server.url, connections, perSecond }))
    }
  } finally {
    await server.stop()
  }
  const [before, during] = [mean(best), mean(overload)]
  const share = during.perSecond / before.perSecond
  bench.say(
    `\n${ROW}: ${before.perSecond.toFixed(0)} good answers/s at its best, ${during.perSecond.toFixed(0)}/s (p99 ${during.p99.toFixed(0)} ms) ` +
      `and ${(during.errors / TURNS / bench.seconds).toFixed(0)} refusals/s at ${TIMES} times the requests`,
  )
  return [
    { text: `overload: ${share.toFixed(2)} of the best answers per second, goal ≥ ${SHARE_MIN}`, reached: share >= SHARE_MIN },
    {
      text: `overload: p99 of good answers is ${during.p99.toFixed(0)} ms, goal ≤ ${P99_MAX_MS}`,
      reached: during.p99 <= P99_MAX_MS,
    },
  ]
}
