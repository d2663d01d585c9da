import type { Pool } from 'pg'

import type { Snapshot } from './database.ts'
import { type StatementChecks, typedQuery, assertOutsideTransaction, insideTransaction } from './engine.ts'

export const BEGIN_SNAPSHOT = `
  SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = '5min';
  SET LOCAL cursor_tuple_fraction = 1;
  SET LOCAL work_mem = '64MB'`

const BATCH_ROWS = 250

type Send = (text: string, values?: unknown[]) => Promise<unknown[]>

/** Returns the handle of a transaction that began with `BEGIN_SNAPSHOT`. Its cursors are closed with the transaction. */
export function createSnapshot(send: Send, checks?: StatementChecks): Snapshot {
  let cursors = 0
  return {
    query: typedQuery((statement) => send(statement.text, statement.values), checks),
    async *batches(statement) {
      await checks?.statement(statement, statement.row)
      const cursor = `batch_${(cursors += 1)}`
      await send(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${statement.text}`, statement.values)
      const fetchBatch = () => {
        const rows = send(`FETCH ${BATCH_ROWS} FROM ${cursor}`)
        // The caller may stop before it awaits this batch.
        rows.catch(() => undefined)
        return rows
      }
      let next: Promise<unknown[]> | undefined = fetchBatch()
      while (next) {
        const rows: unknown[] = await next
        next = rows.length === BATCH_ROWS ? fetchBatch() : undefined
        checks?.rows(statement.row, rows)
        if (rows.length > 0) yield statement.toResult(rows)
      }
    },
  }
}

/**
 * Runs `work` in a snapshot of its own connection.
 * @param monitoring a pool with a free connection, which cancels the statement of an aborted snapshot
 */
export async function runSnapshot<Result>(
  pool: Pool,
  monitoring: Pool,
  work: (snapshot: Snapshot) => Promise<Result>,
  signal?: AbortSignal,
  checks?: StatementChecks,
): Promise<Result> {
  assertOutsideTransaction()
  const client = await pool.connect()
  const cancel = () => {
    const { processID } = client as unknown as { processID: number }
    monitoring.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined)
  }
  const send = async (text: string, values: unknown[] = []) => {
    signal?.throwIfAborted()
    return (await client.query<Record<string, unknown>>({ text, values })).rows
  }
  try {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', cancel)
    await client.query(`BEGIN; ${BEGIN_SNAPSHOT}`)
    const result = await insideTransaction(() => work(createSnapshot(send, checks)))
    signal?.removeEventListener('abort', cancel)
    await client.query('COMMIT')
    signal?.throwIfAborted()
    client.release()
    return result
  } catch (error) {
    // Closing the connection ends the transaction in every state, and a late cancellation cannot affect another one.
    client.release(true)
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
