import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Problem } from '../../errors/problems.ts'
import { misspeltTokenProblem } from './parse-credentials.ts'
import { isRead } from '../request/hooks.ts'

/* The caller of a form with `access_token` (RFC 6750, 2.2) is known once its fields, or those before the first file, are read. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Identifies the caller by the form's `access_token`, if any; null if other credentials decide or the form has decided. */
    authenticateByForm: ((token: unknown) => Promise<void>) | null
    loginProblem: (() => Problem) | null
  }
  interface FastifyContextConfig {
    /** Fields of a body in any format that contain a token, instead of `access_token` in a form. */
    tokenFields?: readonly string[]
  }
}

const TOKEN_FIELDS = ['access_token']
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

const isForm = ({ headers }: FastifyRequest) => FORM.test(headers['content-type'] ?? '')
const tokenFields = ({ routeOptions }: FastifyRequest) => routeOptions.config.tokenFields ?? TOKEN_FIELDS
const mayContainToken = (request: FastifyRequest) => request.routeOptions.config.tokenFields !== undefined || isForm(request)

export function acceptFormToken(request: FastifyRequest, authenticate: (token: unknown) => Promise<void>): void {
  if (isRead(request) || !mayContainToken(request)) return
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
  const names = tokenFields(request)
  refuseMisspeltTokens(
    request,
    fields.map(([name]) => name),
  )
  const tokens = fields.filter(([name]) => names.includes(name)).map(([, value]) => value)
  await request.authenticateByForm?.(tokens.length > 1 ? tokens : tokens[0])
}

export function addFormToken(api: FastifyInstance): void {
  api.addHook('preValidation', async (request) => {
    const fields = mayContainToken(request) ? toFields(request) : undefined
    refuseMisspeltTokens(request, Object.keys(fields ?? {}))
    const tokens = tokenFields(request).flatMap((name) => (fields && Object.hasOwn(fields, name) ? [fields[name]] : []))
    if (tokens.length > 0) request.hasTokenParameter = true
    await request.authenticateByForm?.(tokens.length > 1 ? tokens : tokens[0])
  })
}

function refuseMisspeltTokens(request: FastifyRequest, names: readonly string[]): void {
  const problem = misspeltTokenProblem(request, names, tokenFields(request))
  if (problem) throw problem
}

/** Returns the body without the token: the same form with another token has the same idempotency fingerprint. */
export function bodyWithoutToken(request: FastifyRequest): unknown {
  const fields = mayContainToken(request) ? toFields(request) : undefined
  if (!fields || Array.isArray(fields)) return request.body
  const names = tokenFields(request)
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

const toFields = ({ body }: FastifyRequest) =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : undefined
