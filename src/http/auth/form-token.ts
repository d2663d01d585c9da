import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Problem } from '../../errors/problems.ts'
import { isRead } from '../request/same-origin.ts'

/* The caller of a form with `access_token` (RFC 6750, 2.2) is known once its fields, or those before the first file, are read. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Identifies the caller by the form's `access_token`, if any; null if other credentials decide or the form has decided. */
    authenticateByForm: ((token: unknown) => Promise<void>) | null
    loginProblem: (() => Problem) | null
  }
}

const TOKEN_FIELD = 'access_token'
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

const isForm = ({ headers }: FastifyRequest) => FORM.test(headers['content-type'] ?? '')

export function acceptFormToken(request: FastifyRequest, authenticate: (token: unknown) => Promise<void>): void {
  if (isRead(request) || !isForm(request)) return
  request.authenticateByForm = async (token) => {
    request.authenticateByForm = null
    await authenticate(token)
  }
}

export const mayHaveFormToken = ({ authenticateByForm }: FastifyRequest): boolean => authenticateByForm !== null

/** Applies the token among the fields before the first file of a multipart body. */
export async function authenticateByFields(
  request: FastifyRequest,
  fields: readonly (readonly [string, unknown])[],
): Promise<void> {
  const tokens = fields.filter(([name]) => name === TOKEN_FIELD).map(([, value]) => value)
  await request.authenticateByForm?.(tokens.length > 1 ? tokens : tokens[0])
}

export function addFormToken(api: FastifyInstance): void {
  api.addHook('preValidation', async (request) => {
    const token = isForm(request) ? toFields(request)?.[TOKEN_FIELD] : undefined
    if (token !== undefined) request.hasTokenParameter = true
    await request.authenticateByForm?.(token)
  })
}

/** Returns the body without the token: the same form with another token has the same idempotency fingerprint. */
export function bodyWithoutToken(request: FastifyRequest): unknown {
  const fields = isForm(request) ? toFields(request) : undefined
  if (!fields) return request.body
  const { [TOKEN_FIELD]: _, ...others } = fields
  return others
}

const toFields = ({ body }: FastifyRequest) =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : undefined
