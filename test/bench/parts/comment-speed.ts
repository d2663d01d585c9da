import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import type { CommentJob } from '../load/comment-load.ts'
import type { Speed } from '../measure.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import { fillForReports, ISSUES } from '../report-rows.ts'
import { faster, sayRow } from './report-speed.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

const SUFFIX = 'comments'

export const commentDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

const run = promisify(execFile)

async function load(job: CommentJob): Promise<Speed> {
  const { stdout } = await run(process.execPath, [
    fileURLToPath(new URL('../load/comment-load.ts', import.meta.url)),
    JSON.stringify(job),
  ])
  return JSON.parse(stdout) as Speed
}

/** Compares `POST /issues/:id/comments` with bare INSERTs of the same rows, in another database. */
export async function measureComments(
  db: PostgresDatabase,
  databaseUrl: string,
  setting: { readonly connections: number; readonly seconds: number },
  say: (line: string) => void,
): Promise<Goal> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (fresh) => {
    await migrate(fresh)
    await fillForReports(fresh)
    const own = new URL(databaseUrl)
    own.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, SUFFIX))}`
    const server = await startServer(own.href)
    const job = { ...setting, url: server.url, databaseUrl: own.href, issues: ISSUES }
    try {
      const [bare, json]: [Speed[], Speed[]] = [[], []]
      for (let turn = 0; turn < 2; turn++) {
        bare.push(await load({ ...job, way: 'bare' }))
        json.push(await load({ ...job, way: 'json' }))
      }
      return sayRow('POST …/comments', faster(json), faster(bare), say)
    } finally {
      await server.stop()
    }
  })
}
