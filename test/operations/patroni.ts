import type { ChildProcess } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

import { freePort, killWithChildren, postgresBin } from '../kill/servers.ts'
import { killAndWait } from '../kill/keep-alive.ts'
import { programPath, startProgram, until } from './processes.ts'

/** Programs of Debian that the tests start; they are skipped if one is not installed. */
export const hasPatroni = ['patroni', 'etcd', 'haproxy'].every((name) => programPath(name) !== undefined)

const NODES = ['one', 'two', 'three']
const PASSWORD = 'secret'
const SETTINGS = fileURLToPath(new URL('../../deploy/patroni/', import.meta.url))

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
    running.set(
      name,
      startProgram(
        folder,
        `patroni-${name}`,
        'patroni',
        [join(folder, 'node.yml')],
        environmentOf(folder, name, etcd, database, api),
      ),
    )
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
  cpSync(join(SETTINGS, 'node.yml'), join(folder, 'node.yml'))
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
    proxyUrl: `postgres://postgres:${PASSWORD}@127.0.0.1:${proxy}/postgres`,
    urls: nodes.map(({ database }) => `postgres://postgres:${PASSWORD}@127.0.0.1:${database}/postgres`),
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

/** The settings of a node, as docs/scaling.md names them. */
function environmentOf(folder: string, name: string, etcd: number, database: number, api: number) {
  const [databaseAddress, apiAddress] = [`127.0.0.1:${database}`, `127.0.0.1:${api}`]
  return {
    ...{ PATRONI_NAME: name, PATRONI_ETCD3_HOST: `127.0.0.1:${etcd}` },
    ...{ PATRONI_RESTAPI_LISTEN: apiAddress, PATRONI_RESTAPI_CONNECT_ADDRESS: apiAddress },
    ...{ PATRONI_POSTGRESQL_LISTEN: databaseAddress, PATRONI_POSTGRESQL_CONNECT_ADDRESS: databaseAddress },
    ...{ PATRONI_POSTGRESQL_DATA_DIR: join(folder, name), PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`) },
    ...{ PATRONI_POSTGRESQL_BIN_DIR: postgresBin(), PATRONI_SUPERUSER_PASSWORD: PASSWORD, PATRONI_REPLICATION_PASSWORD: PASSWORD },
  }
}

/** Returns the settings of deploy/patroni with other ports. */
function proxySettings(port: number, nodes: readonly { database: number; api: number }[]): string {
  const settings = readFileSync(join(SETTINGS, 'haproxy.cfg'), 'utf8').replace(':5000', `:${port}`)
  return nodes.reduce(
    (text, { database, api }, n) => text.replace(`:${5001 + n}`, `:${database}`).replace(`port ${8001 + n}`, `port ${api}`),
    settings,
  )
}

function pidOf(folder: string, name: string): number[] {
  try {
    return [Number(readFileSync(join(folder, name, 'postmaster.pid'), 'utf8').split('\n')[0])]
  } catch {
    return []
  }
}
