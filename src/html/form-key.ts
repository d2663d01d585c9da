import type { FastifyRequest } from 'fastify'

import { contentFingerprint } from '../http/request/fingerprint.ts'
import { readText, toFormValues } from './form-input.ts'

/**
 * The idempotency key of a form of ours: a form that is sent twice, by a second press or a reload, is one request. A form that was changed
 * before it is sent again is another one.
 */
export function formIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = readText(toFormValues(request.body), 'form_key')
  return /^[\w-]{43}$/.test(key) ? contentFingerprint(request.body, key) : undefined
}
