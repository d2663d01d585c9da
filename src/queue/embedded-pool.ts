import type { PGlite, PGliteInterface, Results, Transaction } from '@electric-sql/pglite'
import { runMigrations, type PgNotification, type PgPool, type PgPoolClient, type PgQueryResult } from 'bullmq'
import { EventEmitter } from 'node:events'

const preparations = new WeakMap<PGlite, Promise<void>>()

/** BullMQ's schema comes last in the search path, so that its tables cannot shadow tables of the project. */
export function prepareEmbedded(pglite: PGlite): Promise<void> {
  const existing = preparations.get(pglite)
  if (existing) return existing
  // PGlite's own transaction keeps other queries out of the single session; a plain BEGIN would not.
  const work = pglite
    .transaction((tx) => runMigrations({ query: (text, params) => runInTransaction(tx, text, params) }))
    .then(() => pglite.exec('SET search_path TO public, bullmq'))
    .then(() => undefined)
  preparations.set(pglite, work)
  return work
}

async function runInTransaction<Row>(tx: Transaction, text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
  return /^(BEGIN|COMMIT|ROLLBACK)$/.test(text) ? { rows: [] } : run<Row>(tx, text, params)
}

/** Implements the parts of `pg.Pool` that BullMQ uses over the single session of the embedded database. */
export class EmbeddedPool extends EventEmitter implements PgPool {
  readonly #pglite: PGlite
  readonly #sessions = new Set<EmbeddedSession>()

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  query<Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
    return run<Row>(this.#pglite, text, params)
  }

  connect(): Promise<PgPoolClient> {
    const session = new EmbeddedSession(this.#pglite)
    this.#sessions.add(session)
    return Promise.resolve(session)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.stopListening()))
    this.#sessions.clear()
  }
}

class EmbeddedSession extends EventEmitter implements PgPoolClient {
  readonly #pglite: PGlite
  readonly #unlisten: (() => Promise<void>)[] = []

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  async query<Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
    const channel = /^\s*LISTEN\s+(\w+)\s*;?\s*$/i.exec(stripComments(text))?.[1]
    if (channel === undefined) return run<Row>(this.#pglite, text, params)
    const unlisten = await this.#pglite.listen(channel, (payload) => {
      this.emit('notification', { channel, payload } satisfies PgNotification)
    })
    this.#unlisten.push(() => unlisten())
    return { rows: [] }
  }

  release(): void {
    this.removeAllListeners()
  }

  async stopListening(): Promise<void> {
    await Promise.all(this.#unlisten.splice(0).map((unlisten) => unlisten()))
  }
}

/** The simple query protocol is needed for several statements and allows no parameters. */
async function run<Row>(
  session: PGliteInterface | Transaction,
  text: string,
  params?: readonly unknown[],
): Promise<PgQueryResult<Row>> {
  const result = params
    ? await session.query<Row>(text, [...params])
    : ((await session.exec(text)).at(-1) as Results<Row> | undefined)
  return { rows: result?.rows ?? [], rowCount: result?.rows.length || (result?.affectedRows ?? 0) }
}

const stripComments = (text: string): string => text.replace(/--.*$/gm, '')
