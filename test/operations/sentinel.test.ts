import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { runNode, startNode } from '../helpers/processes.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { OPS_TOKEN, opsBearer } from '../ops/ops-app.ts'
import { freePort, postgresBin, serverUser, waitForPostgres } from '../kill/servers.ts'
import { createServerFolder, programPath, startProgram, until } from './processes.ts'

const hasSentinel = programPath('redis-sentinel') !== undefined && postgresBin() !== undefined

describe.runIf(hasSentinel)('TLS and Redis Sentinel (need redis-sentinel, openssl and PostgreSQL)', () => {
  it('lead to both servers, and to the new primary of Redis after a failover', { timeout: 300_000 }, async () => {
    const folder = createServerFolder()
    createCertificate(folder)
    const authority = join(folder, 'ca.pem')
    const databaseUrl = await startPostgresWithTls(folder)
    const [primary, standby] = [await startRedis(folder, 'one'), await startRedis(folder, 'two')]
    await until('the standby', async () => redis(folder, standby.port, 'REPLICAOF', '127.0.0.1', primary.port).includes('OK'))
    const sentinels: string[] = []
    for (const name of ['s1', 's2', 's3']) sentinels.push(`127.0.0.1:${await startSentinel(folder, name, primary.port)}`)
    const base = `http://127.0.0.1:${await freePort()}`
    const env = {
      ...{ DATABASE_URL: `${databaseUrl}?sslmode=verify-full&sslrootcert=${authority}`, REDIS_URL: 'rediss://mymaster' },
      ...{
        REDIS_SENTINELS: sentinels.join(','),
        NODE_EXTRA_CA_CERTS: authority,
        OPS_TOKEN,
        PUBLIC_URL: base,
        PORT: new URL(base).port,
      },
      ...{ DATA_DIR: createTemporaryFolder(), DEMO: 'off' },
    }
    const isQueueUp = async () => {
      const response = await fetch(`${base}/ops/health`, { headers: { ...opsBearer, 'user-agent': 'test' } })
      const { checks } = (await response.json()) as { checks: Record<'database' | 'queue', { status: string }> }
      return checks.database.status === 'ok' && checks.queue.status === 'ok'
    }
    const withoutAuthority = { DATABASE_URL: `${databaseUrl}?sslmode=verify-full`, NODE_EXTRA_CA_CERTS: '' }
    const untrusted = await runNode('src/server.ts', [], { ...env, ...withoutAuthority })
    await startNode('src/server.ts', [], env).waitForOutput(/Ready after/)
    await until('the queue', isQueueUp)

    primary.process.kill('SIGKILL')

    await until('a new primary', async () => redis(folder, standby.port, 'ROLE').includes('master'))
    // The health is at most two seconds old.
    await pause(2_500)
    await until('the queue after the failover', isQueueUp)
    expect(untrusted).toMatchObject({ code: 1, stderr: expect.stringContaining('self-signed certificate') as string })
  })
})

function createCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
    stdio: 'ignore',
  })
  const { uid, gid } = serverUser()
  for (const name of ['key.pem', 'ca.pem']) {
    if (uid !== undefined && gid !== undefined) chownSync(join(folder, name), uid, gid)
    chmodSync(join(folder, name), name === 'key.pem' ? 0o600 : 0o644)
  }
}

async function startPostgresWithTls(folder: string): Promise<string> {
  const [data, port, bin] = [join(folder, 'postgres'), await freePort(), postgresBin() ?? '']
  const kind = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', `--pgdata=${data}`]
  execFileSync(`${bin}/initdb`, kind, { ...serverUser(), cwd: '/', stdio: 'ignore' })
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder, fsync: 'off', ssl: 'on' }
  const files = { ssl_cert_file: join(folder, 'ca.pem'), ssl_key_file: join(folder, 'key.pem') }
  const options = Object.entries({ ...settings, ...files }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  startProgram(folder, 'postgres-log', `${bin}/postgres`, ['-D', data, ...options])
  await waitForPostgres(`postgres://postgres@127.0.0.1:${port}/postgres`)
  return `postgres://postgres@localhost:${port}/postgres`
}

const tlsOf = (folder: string) => [
  ...[
    '--tls-cert-file',
    join(folder, 'ca.pem'),
    '--tls-key-file',
    join(folder, 'key.pem'),
    '--tls-ca-cert-file',
    join(folder, 'ca.pem'),
  ],
  ...['--tls-auth-clients', 'no', '--tls-replication', 'yes', '--port', '0', '--bind', '127.0.0.1'],
]

async function startRedis(folder: string, name: string) {
  const port = await freePort()
  const own = ['--tls-port', String(port), '--save', '', '--dir', folder, '--maxmemory-policy', 'noeviction']
  const process = startProgram(folder, name, 'redis-server', [...tlsOf(folder), ...own])
  await until('Redis', async () => redis(folder, port, 'PING').includes('PONG'))
  return { port, process }
}

async function startSentinel(folder: string, name: string, primary: number): Promise<number> {
  const [port, file] = [await freePort(), join(folder, `${name}.conf`)]
  const lines = [
    `sentinel monitor mymaster 127.0.0.1 ${primary} 2`,
    ...['sentinel down-after-milliseconds mymaster 1000', 'sentinel failover-timeout mymaster 5000'],
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  // Sentinel stores its state in this file.
  chmodSync(file, 0o666)
  startProgram(folder, name, 'redis-sentinel', [file, ...tlsOf(folder), '--tls-port', String(port)])
  await until('a Sentinel', async () => redis(folder, port, 'SENTINEL', 'replicas', 'mymaster').includes('slave'))
  return port
}

const redis = (folder: string, port: number, ...command: (string | number)[]) =>
  execFileSync('redis-cli', ['--tls', '--cacert', join(folder, 'ca.pem'), '-p', String(port), ...command.map(String)], {
    encoding: 'utf8',
  })
