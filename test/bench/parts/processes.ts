import { httpSpeed, openLoopSpeed, processorMs, type Setting, type Speed } from '../measure.ts'
import { median } from '../median.ts'
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
const OVERLOAD_TURNS = 3
const TIMES = 4
const SHARE_MIN = 0.8
const P99_MAX_MS = 3_000
/** The load comes from one address, which has no limit of connections as a proxy. */
const ENV = { TRUST_PROXY: '127.0.0.1' }

export async function measureOverload(bench: Bench): Promise<readonly Goal[]> {
  const row = findRow()
  const server = await startServer(bench.databaseUrl, ENV)
  const turns: Turn[] = []
  try {
    for (let turn = 0; turn < OVERLOAD_TURNS; turn++) turns.push(await measureTurn(row, { ...bench, url: server.url }, server.pid))
  } finally {
    await server.stop()
  }
  for (const { best, during, cores } of turns) {
    bench.say(
      `\n${ROW}: ${best.perSecond.toFixed(0)} good answers/s at its best (p99 ${best.p99.toFixed(0)} ms, web process ${cores.best.toFixed(2)} cores); ` +
        `at ${TIMES} times the requests ${during.perSecond.toFixed(0)}/s (p50 ${during.p50.toFixed(0)} ms, p99 ${during.p99.toFixed(0)} ms) and ` +
        `${during.refusalsPerSecond.toFixed(0)} refusals/s (p99 ${during.refusalP99.toFixed(0)} ms), ${during.errors} errors, ${cores.during.toFixed(2)} cores`,
    )
  }
  // The best of all turns, because other load on the machine lowers it and would raise the share.
  const share = median(turns.map(({ during }) => during.perSecond)) / Math.max(...turns.map(({ best }) => best.perSecond))
  const p99 = median(turns.map(({ during }) => during.p99))
  return [
    { text: `overload: ${share.toFixed(2)} of the best answers per second, goal ≥ ${SHARE_MIN}`, reached: share >= SHARE_MIN },
    { text: `overload: p99 of good answers is ${p99.toFixed(0)} ms, goal ≤ ${P99_MAX_MS}`, reached: p99 <= P99_MAX_MS },
  ]
}

type Turn = Awaited<ReturnType<typeof measureTurn>>

async function measureTurn(row: BenchRow, setting: Setting, pid: number) {
  const [best, coresAtBest] = await withCores(pid, () => httpSpeed(row, setting))
  if (best.perSecond === 0) throw new Error('The service refused all requests, because the machine has other work: measure again.')
  const [during, coresDuring] = await withCores(pid, () => openLoopSpeed(row, setting, TIMES * Math.round(best.perSecond)))
  return { best, during, cores: { best: coresAtBest, during: coresDuring } }
}

/** Also returns the processor cores that the process occupied on average. */
async function withCores<Result>(pid: number, work: () => Promise<Result>): Promise<[Result, number]> {
  const [beganMs, usedMs] = [performance.now(), processorMs(pid)]
  const result = await work()
  return [result, (processorMs(pid) - usedMs) / (performance.now() - beganMs)]
}
