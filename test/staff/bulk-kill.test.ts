import { describe, expect, it, vi } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import { sql } from '../../src/database/database.ts'
import type { BulkRun } from '../../src/staff/bulk/schema.ts'
import { startNode } from '../helpers/processes.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
/** More than two batches. */
const ISSUES = 120

async function killInSecondBatch(): Promise<void> {
  const [row] = await queryRows<{ name: string }>(app.db, sql`SELECT current_database() AS name`)
  const url = new URL(testDatabaseUrl ?? '')
  url.pathname = `/${row?.name}`
  const { signal, stderr } = await startNode('test/staff/processes/run-bulk-and-die.ts', [url.href]).ended
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
}

/** Returns each pair of priority and version with its number of issues, and the number of entries of the log for each issue. */
const readState = () =>
  queryRows(
    app.db,
    sql`
    SELECT i.priority, i.version, count(*)::integer AS issues,
      (SELECT count(*)::integer FROM issue_log l WHERE l.issue_id = min(i.id)) AS log FROM issues i GROUP BY i.priority, i.version ORDER BY i.version`,
  )

describe.runIf(testDatabaseUrl)('a bulk run whose process is killed between batches', () => {
  it('changes each issue once, and undoes each once', async () => {
    const organization = await app.create.organization()
    const type = await app.create.requestType({ organization })
    const ada = await app.create.user({ memberOf: [{ organization }] })
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat, request_type_id) SELECT 'Hole ' || n, 0, 0, ${type}::integer FROM generate_series(1, ${ISSUES}::integer) n`)
    const rows = await queryRows<{ id: number }>(app.db, sql`SELECT i.id FROM issues i`)
    const post = async (path: string, body: object = {}) =>
      (await app.as.user(ada).send('POST', `/api/v2/bulk${path}`, { body })).body as BulkRun
    const { id, hash } = await post('', { ids: rows.map((row) => row.id), change: { priority: 3 } })
    // PostgreSQL keeps the locks of a killed process until it notices the end of its connection, and the job is started every two seconds.
    const workUntil = (state: string) =>
      vi.waitFor(
        async () => {
          await runBulk({}, { db: app.db, clock: () => new Date() })
          expect(await app.db.prisma.bulkRun.findUniqueOrThrow({ where: { id } })).toMatchObject({ state })
        },
        { timeout: 60_000, interval: 200 },
      )

    await post(`/${id}/run`, { hash })
    await killInSecondBatch()
    const killed = await readState()
    await workUntil('done')
    const done = await readState()
    await post(`/${id}/undo`)
    await killInSecondBatch()
    await workUntil('undone')

    expect(killed).toEqual([
      { priority: 1, version: 1, issues: 70, log: 0 },
      { priority: 3, version: 2, issues: 50, log: 1 },
    ])
    expect(done).toEqual([{ priority: 3, version: 2, issues: ISSUES, log: 1 }])
    expect(await readState()).toEqual([{ priority: 1, version: 3, issues: ISSUES, log: 2 }])
    expect(await app.db.prisma.issueLog.count()).toBe(2 * ISSUES)
  })
})
