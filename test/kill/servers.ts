import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, chownSync, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

import { keepAlive, killAndWait, type RestartedProcess } from './keep-alive.ts'

/** Returns Debian's folder of the newest PostgreSQL that has PostGIS, as in .ci/run, or undefined. */
export function postgresBin(): string | undefined {
  const share = '/usr/share/postgresql'
  if (!existsSync(share)) return undefined
  const versions = readdirSync(share).filter((version) => existsSync(join(share, version, 'extension', 'postgis.control')))
  const newest = versions.toSorted((a, b) => Number(a) - Number(b)).at(-1)
  return newest === undefined ? undefined : `/usr/lib/postgresql/${newest}/bin`
}

/** PostgreSQL refuses to run as root, so it runs as the user that its package creates. */
export function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (what: '-u' | '-g') => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Only processes are killed, so fsync is off. Full page writes are on, since a process may die while it writes a page. */
const SETTINGS = ['fsync = off', 'synchronous_commit = on', 'full_page_writes = on', 'track_commit_timestamp = on']
const CONNECTIONS_MAX = 300

/** Starts a PostgreSQL. A kill ends all of its processes; it recovers from its WAL. */
export async function startPostgres(folder: string): Promise<RestartedProcess & { readonly url: string }> {
  const bin = postgresBin()
  if (bin === undefined) throw new Error('The test needs PostgreSQL with PostGIS: install postgresql-15-postgis-3')
  const user = serverUser()
  const data = join(folder, 'postgres')
  mkdirSync(data)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid)
  const initdb = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', `--pgdata=${data}`]
  execFileSync(`${bin}/initdb`, initdb, { ...user, cwd: '/', stdio: 'ignore' })
  const port = await freePort()
  const own = [`port = ${port}`, "listen_addresses = '127.0.0.1'", `unix_socket_directories = '${data}'`]
  appendFileSync(join(data, 'postgresql.conf'), [...own, ...SETTINGS, `max_connections = ${CONNECTIONS_MAX}`, ''].join('\n'))
  const log = createWriteStream(join(folder, 'postgres.log'), { flags: 'a' })
  const server = keepAlive('postgres', {
    begin: () => spawnLogged(`${bin}/postgres`, ['-D', data], { ...user, cwd: '/', log }),
    ready: 'database system is ready to accept connections',
    end: killWithChildren,
  })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await waitForPostgres(url)
  return Object.assign(server, { url })
}

/** Kills the server and its processes: a new one does not start while any of them lives. */
export async function killWithChildren(postmaster: ChildProcess | number): Promise<void> {
  const pid = typeof postmaster === 'number' ? postmaster : (postmaster.pid ?? 0)
  const children = childrenOf(pid)
  const ended = typeof postmaster === 'number' ? signal(pid, 'SIGKILL') : killAndWait(postmaster)
  for (const child of children) signal(child, 'SIGKILL')
  await ended
  while ([pid, ...children].some(lives)) await pause(5)
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signal(pid: number, name: 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has already ended.
  }
}

/** Returns whether a process is alive. A zombie is not. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const START_MAX_MS = 30_000

export async function waitForPostgres(url: string): Promise<void> {
  for (const until = Date.now() + START_MAX_MS; ;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
    client.on('error', () => undefined)
    const error = await client.connect().then(
      () => undefined,
      (failed: unknown) => failed,
    )
    await client.end().catch(() => undefined)
    if (error === undefined) return
    if (Date.now() > until) throw new Error('PostgreSQL did not start in time', { cause: error })
    await pause(20)
  }
}

export async function startRedis(folder: string): Promise<RestartedProcess & { readonly url: string }> {
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const log = createWriteStream(join(folder, 'redis.log'), { flags: 'a' })
  const all = [...options, '--maxmemory-policy', 'noeviction']
  const server = keepAlive('redis', {
    begin: () => spawnLogged('redis-server', all, { log }),
    ready: 'Ready to accept connections',
  })
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` })
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

interface SpawnOptions {
  readonly log: NodeJS.WritableStream
  readonly cwd?: string | URL
  readonly env?: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

export function spawnLogged(command: string, args: readonly string[], { log, ...options }: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  // A process that cannot be started counts as ended.
  child.once('error', () => child.emit('exit', 1, null))
  return child
}
