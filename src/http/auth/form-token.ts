import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Problem } from '../../errors/problems.ts'
import { isRead } from '../request/same-origin.ts'

/*
 * `access_token` as a form parameter (RFC 6750, 2.2). The caller is known once the form is read; for multipart bodies, once the
 * fields before the first file are read.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Identifies the caller by the form's `access_token`, which may be undefined. Null if other credentials decide or the form has
     * decided.
     */
    decideByForm: ((token: unknown) => Promise<void>) | null
    loginProblem: (() => Problem) | null
  }
}

const NAME = 'access_token'
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

const isForm = ({ headers }: FastifyRequest) => FORM.test(headers['content-type'] ?? '')

/** Lets a form identify the caller if the request has neither an `Authorization` header nor a token in its query. */
export function awaitFormToken(request: FastifyRequest, decide: (token: unknown) => Promise<void>): void {
  if (isRead(request) || !isForm(request)) return
  request.decideByForm = async (token) => {
    request.decideByForm = null
    await decide(token)
  }
}

export const mayBringToken = ({ decideByForm }: FastifyRequest): boolean => decideByForm !== null

/** Applies the token among the fields before the first file of a multipart body. */
export async function decideByFields(request: FastifyRequest, fields: readonly (readonly [string, unknown])[]): Promise<void> {
  const tokens = fields.filter(([name]) => name === NAME).map(([, value]) => value)
  await request.decideByForm?.(tokens.length > 1 ? tokens : tokens[0])
}

/** Applies the token of a form before the fields are validated or stored. */
export function readFormToken(api: FastifyInstance): void {
  api.addHook('preValidation', async (request) => {
    const token = isForm(request) ? fieldsOf(request)?.[NAME] : undefined
    if (token !== undefined) request.tokenAsParameter = true
    await request.decideByForm?.(token)
  })
}

/** Returns the body without the token: the same form with another token has the same idempotency fingerprint. */
export function bodyWithoutToken(request: FastifyRequest): unknown {
  const fields = isForm(request) ? fieldsOf(request) : undefined
  if (!fields) return request.body
  const { [NAME]: _, ...others } = fields
  return others
}

const fieldsOf = ({ body }: FastifyRequest) =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : undefined
