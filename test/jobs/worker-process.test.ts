import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'

import { CONNECTIONS } from '../../src/queue/backends.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { countWorkers } from '../../src/queue/worker-queries.ts'
import { createTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { messagesIn, runNode, startNode } from '../helpers/processes.ts'
import { freePort } from '../kill/servers.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { archiveCounts, createClosedIssues } from './create-issues.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** A busy machine takes fifteen seconds to start a worker. */
const SOON = { timeout: 60_000, interval: 50 }

/** Selects the sessions of the archive job that wait for a lock of `events`. Other jobs wait for it as well. */
const waitingSessions = sql`
  SELECT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.relation = 'events'::regclass AND NOT l.granted AND a.query LIKE '%UPDATE issues%'`
const archivingSessions = sql`
  SELECT a.pid FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.state = 'active' AND a.query LIKE '%UPDATE issues%'`

const queueSessions = sql`
  SELECT a.pid FROM pg_stat_activity a WHERE a.datname = current_database() AND a.application_name = 'fixpoint queue'`

describe('npm run worker on the embedded database', () => {
  it('exits with one sentence and changes nothing', async () => {
    const { code, stdout, stderr } = await runNode('jobs/worker.ts', [], { DATA_DIR: createTemporaryFolder() })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(messagesIn(stderr)).toBe(
      'A worker of its own needs DATABASE_URL. On the embedded database, which only one process may open, ' +
        '`npm start` does the jobs itself.',
    )
  })

  it('reports an invalid environment variable', async () => {
    const { code, stderr } = await runNode('jobs/worker.ts', [], { REDIS_URL: 'memcached://here' })

    expect(code).toBe(1)
    expect(stderr).toContain('REDIS_URL must be')
  })
})

describe.each(testDatabaseUrl === undefined ? [] : [testDatabaseUrl])('npm run worker', (serverUrl) => {
  let db: Database
  let env: Record<string, string>
  beforeAll(async () => {
    const { url, drop } = await createTestDatabase(serverUrl, inject('template'))
    db = openPostgres({ url })
    env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
    return drop
  })
  afterAll(() => db.close())
  beforeEach(() => resetDatabase(db))

  const waitForArchived = (issues: number) =>
    vi.waitFor(async () => expect(await archiveCounts(db)).toEqual({ issues, changes: issues, events: issues }), SOON)

  it('runs jobs until SIGTERM, and is healthy unless it hangs', async () => {
    await createClosedIssues(db, 2)
    const port = await freePort()
    const worker = startNode('jobs/worker.ts', [], { ...env, WORKER_PORT: String(port), HOST: '127.0.0.1' })
    const health = async () => {
      const signal = AbortSignal.timeout(3_000)
      return (await fetch(`http://127.0.0.1:${port}/health`, { signal }).catch(() => undefined))?.status
    }
    await waitForArchived(2)
    await vi.waitFor(async () => expect(await health()).toBe(200), SOON)
    await vi.waitFor(async () => expect(await countWorkers(db, ['mails'])).toMatchObject([{ workers: 1 }]), SOON)
    const sessions = await queryRows(db, queueSessions)
    worker.child.kill('SIGSTOP')
    const hanging = await health()
    worker.child.kill('SIGCONT')
    worker.child.kill('SIGTERM')

    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' })
    expect([hanging, await health()]).toEqual([undefined, undefined])
    expect(sessions.length).toBeLessThanOrEqual(CONNECTIONS.worker)
    expect(await countWorkers(db, ['mails'])).toMatchObject([{ workers: 0 }])
  })

  it('serves its health and its metrics on WORKER_PORT', async () => {
    const port = await freePort()
    const worker = startNode('jobs/worker.ts', [], { ...env, WORKER_PORT: String(port), HOST: '127.0.0.1' })
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    await vi.waitFor(async () => expect((await ask('/health'))?.status).toBe(200), SOON)

    const health = (await (await ask('/health'))?.json()) as unknown
    const metrics = await (await ask('/metrics'))?.text()
    worker.child.kill('SIGTERM')

    expect(health).toEqual({ status: 'ok' })
    expect(metrics).toMatch(/^fixpoint_database_up 1$/m)
    expect(metrics).toMatch(/^fixpoint_queue_up 1$/m)
    expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(metrics).toMatch(/^fixpoint_database_connections\{pool="primary",state="idle"\} \d+$/m)
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('leaves no partial batch when it is killed, and the next worker continues at once', async () => {
    await createClosedIssues(db, 700)
    await db.bulk(async (session) => {
      // The statement of the batch waits for this lock.
      await session.execute(sql`LOCK TABLE events IN EXCLUSIVE MODE`)
      const killed = startNode('jobs/worker.ts', [], env)
      await vi.waitFor(async () => {
        // PostgreSQL caches the activity of other sessions until the end of a transaction.
        await session.execute(sql`SELECT pg_stat_clear_snapshot()`)
        expect(await queryRows(session, waitingSessions)).not.toHaveLength(0)
      }, SOON)
      killed.child.kill('SIGKILL')
      await killed.ended
    })
    // The server finishes the statement before it notices that the client has disconnected.
    await vi.waitFor(async () => expect(await queryRows(db, archivingSessions)).toEqual([]), SOON)
    // A new run may begin meanwhile, so the worker may have finished one or two whole batches.
    const { issues, changes, events } = await archiveCounts(db)
    expect([0, 200, 500, 700]).toContain(issues)
    expect({ changes, events }).toEqual({ changes: issues, events: issues })

    startNode('jobs/worker.ts', [], env)

    await waitForArchived(700)
  })
})
