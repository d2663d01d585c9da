import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { comb, diagonalComb, holesOfCombs, ordinary, type Ring, spiral, star } from '../../geo/many-edges.ts'
import { median } from '../median.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

const SUFFIX = 'areas'
const TURNS = 9
const ISSUES = 20_000
/** Maximum ratio of the time of a comb to that of an ordinary polygon with the same box. */
const TIMES_MAX = 3

export const areaDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

const shapes: Readonly<Record<string, readonly Ring[]>> = {
  'ordinary, 50': ordinary(50),
  'comb, 1,993': comb(995),
  'comb, 9,999': comb(4_998),
  'diagonal comb, 2,003': diagonalComb(1_000),
  'star, 2,001': star(1_000),
  'spiral of 499 turns, 9,981': spiral(499, 10),
  'spiral of 50 turns, 9,801': spiral(49, 100),
  '99 combs as holes, 9,806': holesOfCombs(99, 48),
}

const insertRows = (areas: readonly string[]) => `
  SELECT setseed(0.42);
  INSERT INTO users (id, name) VALUES (1, 'Watcher');
  INSERT INTO issues (summary, lng, lat, created_at)
  SELECT 'Pothole', -105.1 + random() * 0.2, 39.6 + random() * 0.2, now() - random() * interval '90 days' FROM generate_series(1, ${ISSUES});
  ${areas.map((area, n) => `INSERT INTO watch_areas (user_id, watcher_token, area) VALUES (1, 'shape-${n}', ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON('${area}'), 4326)));`).join('\n')}
  ANALYZE;`

type Ask = (n: number) => Promise<Response>

/** Compares areas with many edges with an ordinary one in the same box, over HTTP, one request at a time. */
export async function measureAreas(db: PostgresDatabase, databaseUrl: string, say: (line: string) => void): Promise<Goal[]> {
  const names = Object.keys(shapes)
  const areas = Object.values(shapes).map((coordinates) => JSON.stringify({ type: 'Polygon', coordinates }))
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (fresh) => {
    await migrate(fresh)
    await fresh.executeScript(insertRows(areas))
    const own = new URL(databaseUrl)
    own.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, SUFFIX))}`
    const server = await startServer(own.href)
    const headers = { 'user-agent': 'fixpoint-bench', 'content-type': 'application/json' }
    const requests: Readonly<Record<string, Ask>> = {
      forecast: (n) =>
        fetch(`${server.url}/api/v2/watchers/forecast`, { method: 'POST', headers, body: `{"area":${areas[n] ?? ''}}` }),
      list: (n) => fetch(`${server.url}/api/v2/issues?watcher_token=shape-${n}&request_types=other`, { headers }),
      feed: (n) => fetch(`${server.url}/feeds/issues.atom?watcher_token=shape-${n}`, { headers }),
    }
    const goals: Goal[] = []
    try {
      say(
        `\n${'ms among 20,000 issues in the box'.padEnd(36)}${Object.keys(requests)
          .map((name) => name.padStart(18))
          .join('')}`,
      )
      const taken: Record<string, number[]> = {}
      for (const [name, ask] of Object.entries(requests)) taken[name] = await measureShapes(names, ask)
      names.forEach((shape, n) => {
        const cells = Object.values(taken).map((ms) => `${(ms[n] ?? 0).toFixed(0)} (${((ms[n] ?? 0) / (ms[0] ?? 1)).toFixed(1)} ×)`)
        say(`  ${shape}`.padEnd(36) + cells.map((cell) => cell.padStart(18)).join(''))
      })
      for (const [name, ms] of Object.entries(taken)) {
        const times = (ms[1] ?? 0) / (ms[0] ?? 1)
        const text = `the ${name} of the comb takes ${times.toFixed(2)} × that of an ordinary polygon, goal ≤ ${TIMES_MAX}`
        goals.push({ text, reached: times <= TIMES_MAX })
      }
    } finally {
      await server.stop()
    }
    return goals
  })
}

/** Returns the median milliseconds of each shape; the first turn is a warm-up. */
async function measureShapes(names: readonly string[], ask: Ask): Promise<number[]> {
  const taken = names.map((): number[] => [])
  for (let turn = -1; turn < TURNS; turn++)
    for (const [n, times] of taken.entries()) {
      const began = performance.now()
      const response = await ask(n)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The response for ${names[n] ?? ''} has status ${response.status}.`)
      if (turn >= 0) times.push(performance.now() - began)
    }
  return taken.map(median)
}
