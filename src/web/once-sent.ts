import type { FastifyRequest } from 'fastify'

import type { Queryable } from '../database/database.ts'
import { fingerprintOf } from '../http/request/fingerprint.ts'
import { releaseKey } from '../http/idempotency/idempotency-queries.ts'
import { textIn, typedIn } from './form-input.ts'

/**
 * For `preValidation`, before `addIdempotency`: a form that is sent twice, by a second press or a reload, is one request. Whoever goes back
 * and changes something sends another one.
 */
export async function useFormKey(request: FastifyRequest): Promise<void> {
  const key = textIn(typedIn(request.body), 'form_key')
  if (request.method === 'POST' && /^[\w-]{43}$/.test(key)) request.headers['idempotency-key'] = fingerprintOf(request.body, key)
}

/** A page that shows what somebody typed, private answers among it, is not kept. */
export async function forgetAnswer(request: FastifyRequest, db: Queryable): Promise<void> {
  const { idempotency } = request
  request.idempotency = null
  if (idempotency) await releaseKey(db, idempotency)
}
