import { PGlite, type PGliteInterface, type Transaction as PGliteTransaction } from '@electric-sql/pglite'
import { amcheck } from '@electric-sql/pglite/contrib/amcheck'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { pageinspect } from '@electric-sql/pglite/contrib/pageinspect'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { existsSync, realpathSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { PrismaPGlite } from 'pglite-prisma-adapter'

import type { Database, Sql } from './database.ts'
import { assertOutsideTransaction, insideTransaction, type StatementChecks, typedExecute, typedQuery } from './engine.ts'
import { postgis } from './postgis/extension.ts'
import { isEmptyFolder, findMissingClusterPaths } from './embedded-folder.ts'
import { onlyUsedParsers, rowParsers } from './row-values.ts'
import { limitStatements, withStatementLimit } from './statement-timeout/limit-statements.ts'
import { BEGIN_SNAPSHOT, createSnapshot } from './snapshot.ts'
import { LONG_TRANSACTION_MAX_MS, openPrisma, prismaTransaction } from './with-prisma.ts'

export interface EmbeddedDatabase extends Database {
  readonly engine: 'embedded'
  /** The queue needs LISTEN, and templates need dumps. */
  readonly pglite: PGlite
}

interface EmbeddedOptions {
  readonly template?: Blob
  /** Loads the extensions that `npm run verify` needs. */
  readonly forVerification?: boolean
  readonly checks?: StatementChecks
}

/** Limits of one statement, as on a server. Bulk loading and scripts have none. */
const STATEMENT_MAX_MS = 15_000
const READ_MAX_MS = 5_000

/**
 * Opens PostgreSQL with PostGIS inside this process, in memory if `folder` is undefined. Lock a folder first (embedded-folder.ts).
 * @throws Error if the folder contains anything but a complete cluster, or the engine cannot open it
 */
export async function openEmbedded(
  folder?: string,
  { template, forVerification = false, checks }: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  if (folder !== undefined && !template) await ensureCluster(folder)
  const pglite = await PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(template ? { loadDataDir: template } : {}),
    extensions: { postgis, btree_gist, pg_trgm, unaccent, ...(forVerification ? { amcheck, pageinspect } : {}) },
  })
  pglite.parsers = onlyUsedParsers(pglite.parsers)
  await pglite.exec("SET timezone = 'UTC'")
  limitStatements(pglite, STATEMENT_MAX_MS)
  const prisma = openPrisma(new PrismaPGlite(pglite))

  const run = (session: PGliteInterface | PGliteTransaction, statement: Sql) =>
    session.query(statement.text, statement.values, { parsers: rowParsers })
  const queryOn = (session: PGliteInterface | PGliteTransaction) =>
    typedQuery(async (statement) => (await run(session, statement)).rows, checks)
  const executeOn = (session: PGliteInterface | PGliteTransaction) =>
    typedExecute(async (statement) => (await run(session, statement)).affectedRows ?? 0, checks)

  let active = 0
  const countActive = <Result>(work: Promise<Result>): Promise<Result> => {
    active += 1
    return work.finally(() => (active -= 1))
  }

  const outsideTransaction = async <Result>(work: () => Promise<Result>) => {
    assertOutsideTransaction()
    return countActive(work())
  }
  const query = typedQuery((statement) => outsideTransaction(async () => (await run(pglite, statement)).rows), checks)

  return {
    engine: 'embedded',
    pglite,
    prisma,
    query,
    execute: (statement) => outsideTransaction(() => executeOn(pglite)(statement)),
    reader: { query: (statement) => withStatementLimit(READ_MAX_MS, () => query(statement)) },
    readsMayLag: false,
    replicas: [],
    load: () => [{ name: 'embedded', total: 1, idle: active === 0 ? 1 : 0, waiting: Math.max(0, active - 1) }],
    ping: async () => void (await pglite.query('SELECT 1')),
    transaction: (work) => countActive(prismaTransaction(prisma, work, checks)),
    longTransaction: (work) =>
      countActive(withStatementLimit(Infinity, () => prismaTransaction(prisma, work, checks, LONG_TRANSACTION_MAX_MS))),
    snapshot: (work, signal) => {
      assertOutsideTransaction()
      return countActive(
        pglite.transaction(async (tx) => {
          await tx.exec(BEGIN_SNAPSHOT)
          const send = async (text: string, values: unknown[] = []) => {
            signal?.throwIfAborted()
            return (await tx.query<Record<string, unknown>>(text, values, { parsers: rowParsers })).rows
          }
          return insideTransaction(() => work(createSnapshot(send, checks)))
        }),
      )
    },
    bulk: (work) => {
      assertOutsideTransaction()
      return countActive(
        withStatementLimit(Infinity, () =>
          pglite.transaction((tx) =>
            insideTransaction(() =>
              work({
                query: queryOn(tx),
                execute: executeOn(tx),
                copy: async (table, columns, rows) => {
                  await tx.query(`COPY ${table} (${columns.join(', ')}) FROM '/dev/blob'`, [], { blob: new Blob([rows]) })
                },
              }),
            ),
          ),
        ),
      )
    },
    async executeScript(text) {
      assertOutsideTransaction()
      await withStatementLimit(Infinity, () => pglite.exec(text))
    },
    // The lock on the folder already excludes other processes.
    exclusively: (_name, work) => work(),
    async close() {
      await prisma.$disconnect()
      if (!pglite.closed) await pglite.close()
    },
  }
}

/**
 * Creates the cluster next to the folder and renames it, so that an interrupted first start leaves nothing. The engine creates a
 * cluster if PG_VERSION is missing and would overwrite one.
 */
async function createCluster(folder: string): Promise<void> {
  const target = existsSync(folder) ? realpathSync(folder) : folder
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const pglite = await PGlite.create({ dataDir: unfinished })
  await pglite.close()
  if (existsSync(target)) rmdirSync(target)
  renameSync(unfinished, target)
}

async function ensureCluster(folder: string): Promise<void> {
  if (isEmptyFolder(folder)) return createCluster(folder)
  const missing = findMissingClusterPaths(folder)
  if (missing.length > 0) throw new Error(`missing or empty: ${missing.join(', ')}`)
}
