import { spawn } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort, postgresBin, serverUser } from '../../kill/servers.ts'

/** True if PostgreSQL with PostGIS is installed, so that tests can start servers. */
export const hasPostgres = postgresBin() !== undefined

const START_TIMEOUT_S = 60

/** Durability is off. The primary retains WAL for a stopped standby, which reconnects often. */
const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 200',
  'shared_buffers = 64MB',
  'fsync = off',
  'full_page_writes = off',
  'wal_keep_size = 256MB',
  'wal_retrieve_retry_interval = 100ms',
]

export interface TestServer {
  readonly url: string
  start(): Promise<void>
  /** Stops immediately, as in a crash. */
  stop(): Promise<void>
  /** Makes a standby the primary. */
  promote(): Promise<void>
}

export interface TestCluster {
  readonly primary: TestServer
  addStandby(): Promise<TestServer>
  close(): Promise<void>
}

export async function startCluster(): Promise<TestCluster> {
  const bin = postgresBin() ?? ''
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-replicas-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const running = new Set<TestServer>()

  const run = (command: string, ...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      // The servers inherit these streams, so waiting for their end would last as long as the servers run.
      const child = spawn(join(bin, command), args, { ...user, cwd: '/', stdio: 'ignore' })
      child.once('error', reject)
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: see ${folder}`))))
    })

  async function serverIn(data: string, port: number): Promise<TestServer> {
    appendFileSync(join(data, 'postgresql.conf'), [`port = ${port}`, ''].join('\n'))
    const server = {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async start() {
        await run('pg_ctl', `--pgdata=${data}`, `--log=${data}.log`, '--wait', `--timeout=${START_TIMEOUT_S}`, 'start')
        running.add(server)
      },
      async stop() {
        running.delete(server)
        await run('pg_ctl', `--pgdata=${data}`, '--mode=immediate', 'stop')
      },
      promote: () => run('pg_ctl', `--pgdata=${data}`, '--wait', 'promote'),
    }
    await server.start()
    return server
  }

  const close = async () => {
    for (const server of running) await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const data = join(folder, 'primary')
    const kind = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
    await run('initdb', `--pgdata=${data}`, ...kind)
    appendFileSync(join(data, 'postgresql.conf'), ['', ...SETTINGS, ''].join('\n'))
    const primary = await serverIn(data, await freePort())
    let standbys = 0
    return {
      primary,
      async addStandby() {
        const copy = join(folder, `standby-${++standbys}`)
        const how = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync']
        await run('pg_basebackup', `--dbname=${primary.url}`, `--pgdata=${copy}`, ...how)
        return serverIn(copy, await freePort())
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
