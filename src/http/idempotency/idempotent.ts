import type { FastifyRequest } from 'fastify'

import type { Database, Transaction } from '../../database/database.ts'
import { type Receipt, writeReceipt } from './idempotency-queries.ts'
import { problems } from '../../errors/problems.ts'

export type { Receipt } from './idempotency-queries.ts'

/**
 * What an earlier request with this key did before it was cut off; undefined almost always. For a route that does much before `once`, or
 * could refuse now what was done then.
 */
export function earlier<Given extends Receipt>({ idempotency }: Pick<FastifyRequest, 'idempotency'>): Given | undefined {
  return (idempotency?.receipt ?? undefined) as Given | undefined
}

/**
 * Makes the change of a POST in one transaction, once for each `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header): the receipt that `work` gives is written beside the key in that same transaction. Where an
 * earlier request with the key was cut off between its commit and its answer, its receipt is given and `work` is not called; the
 * route makes the answer from the receipt either way. Without a key it is `db.transaction`. At most once in a request.
 *
 *     const { id } = await idempotent(request, db, async (tx) => ({ id: await insertIssue(tx, report) }))
 *
 * @throws Problem 409 when this request was so slow that another one with its key has taken over; nothing is changed then
 */
export async function once<Given extends Receipt>(
  request: Pick<FastifyRequest, 'idempotency'>,
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Given>,
): Promise<Given> {
  const claim = request.idempotency
  if (!claim) return db.transaction(work)
  const before = earlier<Given>(request)
  if (before) return before
  const receipt = await db.transaction(async (tx) => {
    const given = await work(tx)
    if (!(await writeReceipt(tx, claim, given))) throw problems.keyInFlight()
    return given
  })
  request.idempotency = { ...claim, receipt }
  return receipt
}
