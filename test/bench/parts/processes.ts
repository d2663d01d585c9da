import { httpSpeed, type Setting, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { type BenchRow, benchRows } from '../rows.ts'
import { startServer } from '../server-process.ts'

/* Compares two web processes with one on the same cores. In both cases two loads have half of the connections each. */
const TURNS = 2
const ROW = 'city box, first page'

export async function measureProcesses(bench: Bench): Promise<readonly Goal[]> {
  const row = benchRows.find(({ name }) => name === ROW)
  if (!row) throw new Error(`The row ${ROW} does not exist.`)
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
