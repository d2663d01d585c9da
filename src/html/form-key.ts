import type { FastifyRequest } from 'fastify'

import { contentFingerprint } from '../http/request/fingerprint.ts'
import { readText, toFormValues } from './form-input.ts'

/** Returns the idempotency key. A form that is sent again unchanged, by a double click or a reload, has the same key. */
export function formIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = readText(toFormValues(request.body), 'form_key')
  return /^[\w-]{43}$/.test(key) ? contentFingerprint(request.body, key) : undefined
}
