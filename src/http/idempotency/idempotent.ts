import type { FastifyRequest } from 'fastify'

import type { Database, Transaction } from '../../database/database.ts'
import { type ChangeResult, storeResult } from './idempotency-queries.ts'
import { problems } from '../../errors/problems.ts'

export type { ChangeResult } from './idempotency-queries.ts'

/**
 * Returns the result of an earlier request with this key that was interrupted before its answer. Routes call it if they do much
 * work before `idempotent`, or could refuse a change that was made already.
 */
export function storedResult<Result extends ChangeResult>({
  idempotency,
}: Pick<FastifyRequest, 'idempotency'>): Result | undefined {
  return (idempotency?.receipt ?? undefined) as Result | undefined
}

/**
 * Makes the change of a POST in one transaction, once for each `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The
 * transaction also stores the result that `work` returns. If an earlier request was interrupted after its commit, its result is
 * returned and `work` is not called. Without a key it is a plain transaction. Call it at most once in a request.
 *
 *     const { id } = await idempotent(request, db, async (tx) => ({ id: await insertIssue(tx, report) }))
 *
 * @throws Problem 409 if another request with the key has taken over; the transaction is rolled back
 */
export async function idempotent<Result extends ChangeResult>(
  request: Pick<FastifyRequest, 'idempotency'>,
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const claim = request.idempotency
  if (!claim) return db.transaction(work)
  const stored = storedResult<Result>(request)
  if (stored) return stored
  const result = await db.transaction(async (tx) => {
    const changed = await work(tx)
    if (!(await storeResult(tx, claim, changed))) throw problems.keyInFlight()
    return changed
  })
  request.idempotency = { ...claim, receipt: result }
  return result
}
