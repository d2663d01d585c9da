import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

import { freePort, killWithChildren, postgresBin } from '../kill/servers.ts'
import { killAndWait } from '../kill/keep-alive.ts'
import { programPath, startProgram, until } from './processes.ts'

/** Programs of Debian that the tests start; they are skipped if one is not installed. */
export const hasPatroni = ['patroni', 'etcd', 'haproxy'].every((name) => programPath(name) !== undefined)

const NODES = ['one', 'two', 'three']
/** A node that answers no more loses its lease after this time; Patroni allows no shorter one. */
const LEASE_S = 20

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number | string
}

export interface PatroniCluster {
  /** The address of HAProxy, which leads to the primary. */
  readonly proxyUrl: string
  readonly urls: readonly string[]
  leader(): Promise<string>
  /** Kills the primary and its Patroni, as when its machine is lost. Returns a function that starts the machine again. */
  crash(): Promise<() => void>
  switchover(): Promise<void>
  /** Waits until a primary and two standbys run, one of them synchronously. */
  waitUntilWhole(): Promise<void>
}

/** Starts etcd, three nodes of Patroni with a synchronous standby, and HAProxy, as docs/scaling.md says. */
export async function startPatroni(folder: string): Promise<PatroniCluster> {
  const [etcd, etcdPeers, proxy] = [await freePort(), await freePort(), await freePort()]
  const [client, peer] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${etcdPeers}`]
  startProgram(folder, 'etcd', 'etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ])
  const ports = new Map<string, { database: number; api: number }>()
  for (const name of NODES) ports.set(name, { database: await freePort(), api: await freePort() })
  const running = new Map<string, ChildProcess>()
  const start = (name: string) => {
    const { database, api } = ports.get(name) ?? { database: 0, api: 0 }
    const file = join(folder, `${name}.yml`)
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settingsOf(folder, name, etcd, database, api)))
    running.set(name, startProgram(folder, `patroni-${name}`, 'patroni', [file]))
  }
  const stop = async (name: string) => {
    const patroni = running.get(name)
    const [postmaster] = pidOf(folder, name)
    if (patroni) await killAndWait(patroni)
    if (postmaster !== undefined) await killWithChildren(postmaster)
  }
  onTestFinished(async () => {
    for (const name of NODES) await stop(name).catch(() => undefined)
  })
  for (const name of NODES) start(name)

  const nodes = NODES.map((name) => ({ name, ...(ports.get(name) ?? { database: 0, api: 0 }) }))
  writeFileSync(join(folder, 'haproxy.cfg'), proxySettings(proxy, nodes))
  startProgram(folder, 'haproxy', 'haproxy', ['-f', join(folder, 'haproxy.cfg')])

  const members = async (): Promise<readonly Member[]> => {
    const asked = nodes.map(async ({ api }) => {
      const response = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(2_000) })
      return ((await response.json()) as { members: Member[] }).members
    })
    return Promise.any(asked)
  }
  const leader = async () => (await members()).find(({ role, state }) => role === 'leader' && state === 'running')?.name
  const apiOf = (name: string) => `http://127.0.0.1:${ports.get(name)?.api}`
  return {
    proxyUrl: `postgres://postgres@127.0.0.1:${proxy}/postgres`,
    urls: nodes.map(({ database }) => `postgres://postgres@127.0.0.1:${database}/postgres`),
    leader: () => until('a primary', leader),
    async crash() {
      const name = await until('a primary', leader)
      await stop(name)
      return () => start(name)
    },
    async switchover() {
      const [from, to] = [await until('a primary', leader), (await members()).find(({ role }) => role === 'sync_standby')?.name]
      const body = JSON.stringify({ leader: from, candidate: to })
      const response = await fetch(`${apiOf(from)}/switchover`, { method: 'POST', body })
      if (!response.ok) throw new Error(`no switchover: ${response.status} ${await response.text()}`)
    },
    waitUntilWhole: async () => {
      await until(
        'three running nodes',
        async () => {
          const all = await members()
          const count = (role: string) =>
            all.filter((one) => one.role === role && ['running', 'streaming'].includes(one.state)).length
          return count('leader') === 1 && count('sync_standby') === 1 && count('replica') === 1
        },
        120_000,
      )
    },
  }
}

function settingsOf(folder: string, name: string, etcd: number, database: number, api: number) {
  const trusted = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
  const superuser = { username: 'postgres', password: 'unused' }
  return {
    scope: 'fixpoint',
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ttl: LEASE_S, loop_wait: 1, retry_timeout: 3, synchronous_mode: true, maximum_lag_on_failover: 1_048_576 },
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200, synchronous_commit: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${database}`, connect_address: `127.0.0.1:${database}`, bin_dir: postgresBin() },
      ...{ data_dir: join(folder, name), pgpass: join(folder, `${name}.pgpass`), pg_hba: trusted },
      parameters: { unix_socket_directories: folder, shared_buffers: '64MB', wal_keep_size: '512MB' },
      authentication: { superuser, replication: superuser, rewind: superuser },
    },
  }
}

/** A node that is no longer the primary loses its connections, so that none of them waits for it. */
const proxySettings = (port: number, nodes: readonly { name: string; database: number; api: number }[]) => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, database, api }) => `  server ${name} 127.0.0.1:${database} check port ${api}`).join('\n')}
`

function pidOf(folder: string, name: string): number[] {
  try {
    return [Number(readFileSync(join(folder, name, 'postmaster.pid'), 'utf8').split('\n')[0])]
  } catch {
    return []
  }
}
