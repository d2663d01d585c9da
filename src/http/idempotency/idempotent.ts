import type { FastifyRequest } from 'fastify'

import type { Database, Transaction } from '../../database/database.ts'
import { type ChangeResult, storeResult } from './idempotency-queries.ts'
import { problems } from '../../errors/problems.ts'

export type { ChangeResult } from './idempotency-queries.ts'

/** Returns the result of an interrupted request with this key, for routes that do much work or may refuse before `idempotent`. */
export function storedResult<Result extends ChangeResult>({
  idempotency,
}: Pick<FastifyRequest, 'idempotency'>): Result | undefined {
  return (idempotency?.result ?? undefined) as Result | undefined
}

/**
 * Makes the change of a POST in one transaction, once for each `Idempotency-Key`: the transaction stores the result of `work`, and
 * a repeated request gets it without a call of `work`. Call it at most once in a request.
 * @throws Problem 409 if another request with the key has taken over; the transaction is rolled back
 */
export async function idempotent<Result extends ChangeResult>(
  request: Pick<FastifyRequest, 'idempotency'>,
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const lease = request.idempotency
  if (!lease) return db.transaction(work)
  const stored = storedResult<Result>(request)
  if (stored) return stored
  const result = await db.transaction(async (tx) => {
    const changed = await work(tx)
    if (!(await storeResult(tx, lease, changed))) throw problems.keyInFlight()
    return changed
  })
  request.idempotency = { ...lease, result }
  return result
}
