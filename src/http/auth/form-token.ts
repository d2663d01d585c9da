import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Problem } from '../../errors/problems.ts'
import { isRead } from '../request/same-origin.ts'

/*
 * `access_token` as a parameter of a form (RFC 6750, 2.2). Who asks is then known when the form has been read, in multipart bodies as far as
 * their files: what needs a login is decided there, and everywhere else before the body.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** Decides who asks, by the `access_token` of the form or undefined. Null where other credentials have decided, or this has. */
    decideByForm: ((token: unknown) => Promise<void>) | null
    /** The refusal of an anonymous caller, while a form may still bring a token. */
    loginProblem: (() => Problem) | null
  }
}

const NAME = 'access_token'
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

const isForm = ({ headers }: FastifyRequest) => FORM.test(headers['content-type'] ?? '')

/** Lets the forms of requests without an `Authorization` header or an `access_token` in the query decide who asks. */
export function awaitFormToken(request: FastifyRequest, decide: (token: unknown) => Promise<void>): void {
  if (isRead(request) || !isForm(request)) return
  request.decideByForm = async (token) => {
    request.decideByForm = null
    await decide(token)
  }
}

/** Whether a form may still bring a token. Over plain HTTP it is refused, with an answer of its own. */
export const mayBringToken = ({ decideByForm }: FastifyRequest): boolean => decideByForm !== null

/** For the parser of multipart bodies: the fields before the first file decide. */
export async function decideByFields(request: FastifyRequest, fields: readonly (readonly [string, unknown])[]): Promise<void> {
  const tokens = fields.filter(([name]) => name === NAME).map(([, value]) => value)
  await request.decideByForm?.(tokens.length > 1 ? tokens : tokens[0])
}

/** Takes the token out of a form, before anything compares, keeps or reads its fields. */
export function takeFormToken(api: FastifyInstance): void {
  api.addHook('preValidation', async (request) => {
    const { body, decideByForm } = request
    if (!isForm(request) || typeof body !== 'object' || body === null) return decideByForm?.(undefined)
    const { [NAME]: token, ...fields } = body as Record<string, unknown>
    if (token !== undefined) {
      request.tokenAsParameter = true
      request.body = fields
    }
    await decideByForm?.(token)
  })
}
