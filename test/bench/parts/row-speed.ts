import { compare, httpSpeed, peakMemoryMb, type Speed } from '../measure.ts'
import type { Bench } from '../parts.ts'
import { type Goal, findGoals, header, formatRow } from '../report.ts'
import { benchRows, notModified } from '../rows.ts'
import { startServer } from '../server-process.ts'
import { SERVER_WARM_UP_SECONDS } from '../load/warm-up.ts'

export async function measureRows(bench: Bench): Promise<readonly Goal[]> {
  const { databaseUrl, seconds, connections, say } = bench
  say(
    `\n${connections} connections, each side of a row twice for ${seconds} s; database: the frozen statements of test/bench/reference.ts by the pg driver\n`,
  )
  const server = await startServer(databaseUrl)
  const speeds = new Map<string, Speed>()
  const goals: Goal[] = []
  say(header)
  try {
    // The warm-up has both rows, because different code handles 200 and 304.
    for (const row of benchRows.slice(0, 2)) await httpSpeed(row, { ...bench, url: server.url, seconds: SERVER_WARM_UP_SECONDS })
    for (const row of benchRows) {
      const { database, http } = await compare(row, { ...bench, url: server.url })
      if (http) speeds.set(row.name, http)
      const reached = findGoals(row, database, http)
      goals.push(...reached.map((goal) => ({ ...goal, text: `${row.name}: ${goal.text}` })))
      say(formatRow(row, database, http, reached))
    }
    say(`\npeak memory of the server: ${peakMemoryMb(server.pid) ?? '?'} MB`)
  } finally {
    await server.stop()
  }
  return [...goals, ...notModified.map(({ row, timesMin }) => notModifiedGoal(speeds, row, timesMin))]
}

function notModifiedGoal(speeds: ReadonlyMap<string, Speed>, row: string, timesMin: number): Goal {
  const unchanged = speeds.get(`${row}, 304`)
  const times = (unchanged?.perSecond ?? 0) / (speeds.get(row)?.perSecond ?? 1)
  return { text: `304 of ${row} is ${times.toFixed(1)} × the full answer, goal ≥ ${timesMin}`, reached: times >= timesMin }
}
