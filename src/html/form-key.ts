import type { FastifyRequest } from 'fastify'

import { contentFingerprint } from '../http/request/fingerprint.ts'
import { readText, toFormValues } from './form-input.ts'

/**
 * Returns the idempotency key of a form. Sending an unchanged form again, by a double click or a reload, has the same key; a
 * changed form has another one.
 */
export function formIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = readText(toFormValues(request.body), 'form_key')
  return /^[\w-]{43}$/.test(key) ? contentFingerprint(request.body, key) : undefined
}
