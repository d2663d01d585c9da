import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { sql } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import type { Speed } from '../measure.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { ReportJob } from '../load/report-load.ts'
import { fillForReports } from '../report-rows.ts'
import { type Goal, line } from '../report.ts'
import { residentMb } from '../resident.ts'
import { startServer } from '../server-process.ts'
import { measureInFlight } from './slow-uploads.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const RATIO_MIN = 0.25
/** Maximum growth of the server's memory from the first to the last third, without forced garbage collection. */
const MEMORY_GROWTH_MAX = 1.25
const IMAGE_CONNECTIONS = 4
const IMAGE_SECONDS = 5
const SUFFIX = 'reports'

export const reportDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

const run = promisify(execFile)

async function load(job: ReportJob): Promise<Speed & { bytes: number }> {
  const script = fileURLToPath(new URL('../load/report-load.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, JSON.stringify(job)])
  return JSON.parse(stdout) as Speed & { bytes: number }
}

/** Compares `POST /issues` with bare INSERTs of the same rows, in another database, and measures it with images. */
export async function measureReports(
  db: PostgresDatabase,
  databaseUrl: string,
  setting: { readonly connections: number; readonly seconds: number },
  say: (line: string) => void,
): Promise<Goal[]> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (fresh) => {
    await migrate(fresh)
    await fillForReports(fresh)
    const [city] = await queryRows<{ lng: number; lat: number }>(fresh, sql`SELECT c.lng, c.lat FROM bench_cities c WHERE c.id = 1`)
    const own = new URL(databaseUrl)
    own.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, SUFFIX))}`
    const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
    const server = await startServer(own.href, { DATA_DIR: folder })
    const job = { ...setting, url: server.url, databaseUrl: own.href, lng: city?.lng ?? 0, lat: city?.lat ?? 0 }
    try {
      const speeds = { bare: [] as Speed[], json: [] as Speed[] }
      for (let turn = 0; turn < 2; turn++) {
        speeds.bare.push(await load({ ...job, way: 'bare' }))
        speeds.json.push(await load({ ...job, way: 'json' }))
      }
      const json = sayRow('POST /issues', faster(speeds.json), faster(speeds.bare), say)
      // This is measured before any image is decoded, since memory that was freed could hide buffered files.
      const inFlight = await measureInFlight(job, server.pid, say)
      return [json, inFlight, ...(await withImages({ ...job, way: 'picture' }, server.pid, say))]
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true })
    }
  })
}

export const faster = (speeds: readonly Speed[]) =>
  speeds.reduce((best, speed) => (speed.perSecond > best.perSecond ? speed : best))

export function sayRow(name: string, http: Speed, bare: Speed, say: (line: string) => void): Goal {
  const ratio = http.perSecond / bare.perSecond
  const cells = (speed: Speed) => [speed.perSecond.toFixed(0), speed.p50.toFixed(1), speed.p99.toFixed(1)]
  say(line([name, ...cells(http), ...cells(bare), ratio.toFixed(2), '']))
  return {
    text: `${name} is ${ratio.toFixed(2)} of bare INSERTs of the same rows, ${http.errors} wrong answers, goal ≥ ${RATIO_MIN}`,
    reached: ratio >= RATIO_MIN && http.errors === 0,
  }
}

async function withImages(job: ReportJob, pid: number, say: (line: string) => void): Promise<Goal[]> {
  await load({ ...job, connections: IMAGE_CONNECTIONS, seconds: IMAGE_SECONDS })
  const samples: number[] = []
  const timer = setInterval(() => samples.push(residentMb(pid)), 250)
  const speed = await load({ ...job, connections: IMAGE_CONNECTIONS, seconds: 3 * Math.max(job.seconds, IMAGE_SECONDS) })
  clearInterval(timer)
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))]
  say(line(['POST /issues, picture', speed.perSecond.toFixed(1), speed.p50.toFixed(1), speed.p99.toFixed(1), '', '', '', '', '']))
  const size = (speed.bytes / 1e6).toFixed(1)
  return [
    {
      text: `memory with pictures of ${size} MB: ${first} MB in the first third, ${last} MB in the last, at most ${Math.max(...samples)} MB, ${speed.errors} wrong answers, goal ≤ ${MEMORY_GROWTH_MAX} ×`,
      reached: last <= MEMORY_GROWTH_MAX * first && speed.errors === 0,
    },
  ]
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
