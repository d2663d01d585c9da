import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { startCluster, type TestCluster, type TestServer } from '../helpers/servers/postgres-cluster.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { OPS_TOKEN } from '../ops/ops-app.ts'

export const WAIT = { timeout: 30_000, interval: 20 }
const report = { ...GREEN, address: '1 Elm Street', request_type_id: 'other', answers: { summary: 'Broken bench' } }

interface Listed {
  readonly metadata: { readonly pagination: { readonly entries: number } }
}

export const portOf = ({ url }: TestServer) => Number(new URL(url).port)

export const readServerPort = async (db: Database) =>
  (await queryRows<{ port: number }>(db.reader, sql`SELECT inet_server_port() AS port`))[0]?.port

/** Starts a migrated primary with a place, and two streaming standbys. The properties are set in `beforeAll`. */
export function useStandbys() {
  let cluster: TestCluster
  let primary: PostgresDatabase
  let standbys: readonly [TestServer, TestServer]

  beforeAll(async () => {
    cluster = await startCluster()
    primary = openPostgres({ url: cluster.primary.url, pools: { read: 3, write: 3 } })
    await migrate(primary)
    standbys = [await cluster.addStandby(), await cluster.addStandby()]
    await createFactories(primary).place({ url_name: 'green' })
  })
  afterAll(async () => {
    await primary.close()
    await cluster.close()
  })

  function open(replicas: readonly TestServer[], errors: string[] = []): PostgresDatabase {
    const onConnectionLost = ({ message }: Error) => void errors.push(message)
    const replicaUrls = replicas.map(({ url }) => url)
    const db = openPostgres({ url: cluster.primary.url, replicaUrls, pools: { read: 3, write: 3 }, onConnectionLost })
    onTestFinished(() => db.close())
    return db
  }

  async function on<Row>({ url }: TestServer, statement: ReturnType<typeof sql>): Promise<Row[]> {
    const db = openPostgres({ url, pools: { read: 1, write: 1 } })
    try {
      return await queryRows<Row>(db, statement)
    } finally {
      await db.close()
    }
  }

  /** Waits until a standby has replayed all WAL of the primary, and then pauses the replay. */
  async function pause(standby: TestServer) {
    await catchUp(standby)
    await on(standby, sql`SELECT pg_wal_replay_pause()`)
    onTestFinished(async () => void (await resume(standby)))
    const isPaused = async () => {
      const [row] = await on<{ state: string }>(standby, sql`SELECT pg_get_wal_replay_pause_state() AS state`)
      expect(row?.state).toBe('paused')
    }
    await vi.waitFor(isPaused, WAIT)
  }
  const resume = (standby: TestServer) => on(standby, sql`SELECT pg_wal_replay_resume()`)

  async function catchUp(standby: TestServer) {
    const [now] = await queryRows<{ lsn: string }>(primary, sql`SELECT pg_current_wal_flush_lsn()::text AS lsn`)
    const isThere = async () => {
      const [row] = await on<{ isThere: boolean }>(
        standby,
        sql`SELECT pg_last_wal_replay_lsn() >= ${now?.lsn}::pg_lsn AS "isThere"`,
      )
      expect(row?.isThere).toBe(true)
    }
    await vi.waitFor(isThere, WAIT)
  }

  /** Returns the WAL position of the primary after the last write of a user. */
  async function lsnOf(userId: number) {
    const [row] = await queryRows<{ lsn: string }>(
      primary,
      sql`
      SELECT p.wal_lsn::text AS lsn FROM user_write_positions p WHERE p.user_id = ${userId}`,
    )
    return row?.lsn
  }

  async function openApp(replicas: readonly TestServer[], errors?: string[]) {
    const db = open(replicas, errors)
    const opened = await appOn(db, { OPS_TOKEN })
    let requests = 0
    // Each URL differs, so that no response comes from memory.
    const count = async (headers: Record<string, string> = {}) =>
      ((await opened.anonymous.get(`/issues?request=${++requests}`, headers)).body as Listed).metadata.pagination.entries
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
