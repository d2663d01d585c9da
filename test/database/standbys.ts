import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { startCluster, type TestCluster, type TestServer } from '../helpers/servers/postgres-cluster.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { OPS_TOKEN } from '../ops/given.ts'

export const SOON = { timeout: 30_000, interval: 20 }
const report = { ...GREEN, address: '1 Elm Street', request_type_id: 'other', answers: { summary: 'Broken bench' } }

interface Listed {
  readonly metadata: { readonly pagination: { readonly entries: number } }
}

export const portOf = ({ url }: TestServer) => Number(new URL(url).port)

/** The port of the server that a read goes to. */
export const whoAnswers = async (db: Database) =>
  (await queryRows<{ port: number }>({ query: db.read }, sql`SELECT inet_server_port() AS port`))[0]?.port

/** A migrated primary with a place, and two standbys that stream from it. What it gives may be used inside tests, not before. */
export function useStandbys() {
  let cluster: TestCluster
  let primary: PostgresDatabase
  let standbys: readonly [TestServer, TestServer]

  beforeAll(async () => {
    cluster = await startCluster()
    primary = openPostgres({ url: cluster.primary.url, poolMax: 3 })
    await migrate(primary)
    standbys = [await cluster.addStandby(), await cluster.addStandby()]
    await createFactories(primary).place({ url_name: 'green' })
  }, 240_000)
  afterAll(async () => {
    await primary.close()
    await cluster.close()
  }, 120_000)

  function open(replicas: readonly TestServer[], faults: string[] = []): PostgresDatabase {
    const onConnectionLost = ({ message }: Error) => void faults.push(message)
    const replicaUrls = replicas.map(({ url }) => url)
    const db = openPostgres({ url: cluster.primary.url, replicaUrls, poolMax: 3, onConnectionLost })
    onTestFinished(() => db.close())
    return db
  }

  async function on<Row>({ url }: TestServer, statement: ReturnType<typeof sql>): Promise<Row[]> {
    const db = openPostgres({ url, poolMax: 1 })
    return queryRows<Row>(db, statement).finally(() => db.close())
  }

  /** Waits until a standby has all that the primary has now, and then lets it have nothing new. */
  async function pause(standby: TestServer) {
    await catchUp(standby)
    await on(standby, sql`SELECT pg_wal_replay_pause()`)
    onTestFinished(async () => void (await resume(standby)))
    const isPaused = async () => {
      const [row] = await on<{ state: string }>(standby, sql`SELECT pg_get_wal_replay_pause_state() AS state`)
      expect(row?.state).toBe('paused')
    }
    await vi.waitFor(isPaused, SOON)
  }
  const resume = (standby: TestServer) => on(standby, sql`SELECT pg_wal_replay_resume()`)

  /** Waits until a standby has all that the primary has now. */
  async function catchUp(standby: TestServer) {
    const [now] = await queryRows<{ lsn: string }>(primary, sql`SELECT pg_current_wal_flush_lsn()::text AS lsn`)
    const isThere = async () => {
      const [row] = await on<{ isThere: boolean }>(
        standby,
        sql`SELECT pg_last_wal_replay_lsn() >= ${now?.lsn}::pg_lsn AS "isThere"`,
      )
      expect(row?.isThere).toBe(true)
    }
    await vi.waitFor(isThere, SOON)
  }

  /** Returns the WAL position of the primary after the last write of a user. */
  async function lsnOf(userId: number) {
    const [row] = await queryRows<{ lsn: string }>(
      primary,
      sql`
      SELECT w.wal_lsn::text AS lsn FROM caller_writes w WHERE w.user_id = ${userId}`,
    )
    return row?.lsn
  }

  /** The app on the primary and these standbys, with what its callers do. */
  async function openApp(replicas: readonly TestServer[], faults?: string[]) {
    const db = open(replicas, faults)
    const opened = await appOn(db, { OPS_TOKEN })
    let asked = 0
    // Each time at an address of its own, so that no page is answered from memory.
    const count = async (headers: Record<string, string> = {}) =>
      ((await opened.anonymous.get(`/issues?asked=${++asked}`, headers)).body as Listed).metadata.pagination.entries
    const send = async (token: string) => {
      const { status } = await opened.anonymous.send('POST', '/api/v2/issues', { body: report, headers: bearer(token) })
      expect(status).toBe(201)
    }
    return { ...opened, db, count, send }
  }

  return {
    ...{ open, pause, resume, catchUp, lsnOf, openApp },
    get cluster() {
      return cluster
    },
    get primary() {
      return primary
    },
    get servers() {
      return standbys
    },
  }
}
