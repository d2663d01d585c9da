import pg from 'pg'

import { addressesOf } from '../environment/database-address.ts'

const PROBE_MAX_MS = 2_000
/** Connections that are opened together share one search. */
const KNOWN_MS = 1_000

/** The SQLSTATE is that of a server that starts, so that requests get 503 and a start waits. */
class NoPrimary extends Error {
  override name = 'NoPrimary'
  readonly code = '57P03'
}

/**
 * Opens a pool. With several hosts, each new connection goes to the one that is the primary now, as with libpq's
 * `target_session_attrs=read-write`, which node-postgres does not know. A server that becomes a standby closes its connections.
 */
export function openPool(url: string, options: pg.PoolConfig): pg.Pool {
  const addresses = addressesOf(url)
  const Client = addresses.length === 1 ? pg.Client : createPrimaryClient(addresses)
  const pool = new pg.Pool({ ...options, connectionString: addresses[0], Client })
  // A client that is taken has no listener for a moment, and an error event without one would end the process.
  return pool.on('connect', (client) => client.on('error', () => undefined))
}

function createPrimaryClient(addresses: readonly string[]): typeof pg.Client {
  let primary: Promise<pg.Client> | undefined
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connected = this.#connectToPrimary()
      if (!callback) return connected
      connected.then(() => callback(null as unknown as Error), callback)
    }

    async #connectToPrimary(): Promise<pg.Client> {
      this.on('error', () => undefined)
      try {
        const { host, port } = await (primary ??= findPrimary(addresses))
        setTimeout(() => (primary = undefined), KNOWN_MS).unref()
        Object.assign(this, { host, port })
        await super.connect()
        return await assertPrimary(this)
      } catch (error) {
        primary = undefined
        super.end().catch(() => undefined)
        throw error
      }
    }
  }
}

/** Asks all hosts at once. @throws the error of a refused login, or NoPrimary */
async function findPrimary(addresses: readonly string[]): Promise<pg.Client> {
  const asked = addresses.map(async (connectionString) => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: PROBE_MAX_MS, query_timeout: PROBE_MAX_MS })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await assertPrimary(client)
    } finally {
      client.end().catch(() => undefined)
    }
  })
  return Promise.any(asked).catch(({ errors }: AggregateError) => {
    const isRefusal = (error: Error) => 'code' in error && /^(28|3D|53)/.test(String(error.code))
    throw (errors as Error[]).find(isRefusal) ?? new NoPrimary('none of the hosts is a primary that answers', { cause: errors })
  })
}

async function assertPrimary(client: pg.Client): Promise<pg.Client> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
  if (rows[0]?.is_standby !== false) throw new NoPrimary(`${client.host} is a standby`)
  return client
}
