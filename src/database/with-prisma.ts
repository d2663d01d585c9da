import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { setTimeout as wait } from 'node:timers/promises'

import { PrismaClient } from '../../prisma/generated/client.ts'
import type { Transaction } from './database.ts'
import { assertOutsideTransaction, insideTransaction, type StatementChecks, typedExecute, typedQuery } from './engine.ts'
import { toPlainRow } from './row-values.ts'

const RETRIES_MAX = 3
const PAUSE_MAX_MS = 50

/** SQLSTATE 40P01 is a deadlock, 40001 a serialization failure; P2034 is Prisma's code for both. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', 'P2034'])

/** Returns whether a concurrent transaction caused the error, so that a retry may succeed. */
export function isConflict(error: unknown): boolean {
  const { code, meta } = error as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return CONFLICTS.has(code) || CONFLICTS.has(meta?.driverAdapterError?.cause?.originalCode)
}

/** Retries `work` after a conflict up to three times, after random delays, and then throws the conflict, which becomes a 503. */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt > RETRIES_MAX || !isConflict(error)) throw error
      await wait(Math.random() * PAUSE_MAX_MS * attempt)
    }
  }
}

const WAIT_FOR_CONNECTION_MS = 10_000
/** Last-Modified relies on it (`isOlderThanAMinute`). */
export const TRANSACTION_MAX_MS = 30_000
export const LONG_TRANSACTION_MAX_MS = 24 * 3_600_000

export function openPrisma(factory: SqlMigrationAwareDriverAdapterFactory): PrismaClient {
  return new PrismaClient({ adapter: guardFactory(factory) })
}

/** Retries after a conflict. A transaction that is open for `maxMs` milliseconds is rolled back. */
export function prismaTransaction<Result>(
  prisma: PrismaClient,
  work: (tx: Transaction) => Promise<Result>,
  checks?: StatementChecks,
  maxMs = TRANSACTION_MAX_MS,
): Promise<Result> {
  assertOutsideTransaction()
  return retryOnConflict(() =>
    prisma.$transaction(
      (client) =>
        insideTransaction(() =>
          work({
            prisma: client,
            deliveries: [],
            query: typedQuery(
              async (statement) => (await client.$queryRaw<Record<string, unknown>[]>(statement)).map((row) => toPlainRow(row)),
              checks,
            ),
            execute: typedExecute(async (statement) => await client.$executeRaw(statement), checks),
          }),
        ),
      { maxWait: WAIT_FOR_CONNECTION_MS, timeout: maxMs },
    ),
  )
}

/** Statements outside transactions use the adapter itself; inside one Prisma uses the adapter's transaction object. */
function guardFactory(factory: SqlMigrationAwareDriverAdapterFactory): SqlMigrationAwareDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect()
      return guardAdapter(adapter)
    },
  }
}

function guardAdapter(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const queryRaw = adapter.queryRaw.bind(adapter)
  const executeRaw = adapter.executeRaw.bind(adapter)
  adapter.queryRaw = (query) => {
    assertOutsideTransaction()
    return queryRaw(query)
  }
  adapter.executeRaw = (query) => {
    assertOutsideTransaction()
    return executeRaw(query)
  }
  return adapter
}
