import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { acceptFormToken, addFormToken } from '../../http/auth/form-token.ts'
import { countCaller, ipAddressKey } from '../../http/auth/login.ts'
import { misspeltTokenProblem } from '../../http/auth/parse-credentials.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { isRefusal } from '../../http/rate-limit/rate-limit.ts'
import { isCrossSite } from '../../http/request/browser-security.ts'
import type { Services } from '../../services.ts'
import { isEmpty } from '../input/body.ts'

/** `access_token` is the name of RFC 6750. */
const tokenNames = ['api_key', 'access_token'] as const

/** Config of the routes that write: a body of any format may contain the key, and cookies have no effect. */
export const writeConfig = { tokenFields: tokenNames, ignoresCookies: true } as const

/**
 * Identifies the caller of writes by `Authorization: Bearer` or, over HTTPS only, by `api_key` in the query or the body, and counts the request
 * against the share of the API. Sessions and passwords have no effect, because pages of other sites can make a browser send them.
 * @throws Problem 403 for wrong credentials, and for anonymous requests that a page of another site caused
 */
export function addWriteCredentials(app: FastifyInstance, { urls }: Pick<Services, 'urls'>): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'private, no-store')
    const parameter = tokenInQuery(request)
    request.hasTokenParameter = parameter !== undefined
    const { authorization } = request.headers
    const misspelt = misspeltTokenProblem(request, Object.keys(request.query as object), tokenNames)
    if (misspelt) {
      await reply.countRequest(ipAddressKey(request))
      throw misspelt
    }
    if (authorization !== undefined) return authenticate(request, reply, bearerToken(authorization))
    if (parameter !== undefined) return authenticate(request, reply, overHttps(request, parameter))
    await reply.countRequest(ipAddressKey(request))
    acceptFormToken(request, (token) => authenticateByField(request, reply, token))
  })
  addFormToken(app)

  app.addHook('preHandler', async (request) => {
    if (!request.viewer && isCrossSite(request, urls)) throw problems.sameOriginOnly()
  })

  async function authenticate(request: FastifyRequest, reply: FastifyReply, token: TokenInput): Promise<void> {
    const viewer = await findOwner(reply, token).catch(async (error: unknown) => {
      if (!isRefusal(error)) await reply.countRequest(ipAddressKey(request))
      throw error
    })
    if (viewer) {
      request.viewer = viewer
      return countCaller(reply)
    }
    await reply.countRequest(ipAddressKey(request))
    throw toProblem(token)
  }

  /** The request is counted already as one without a key. A key may follow the files of a form, so the search goes on without one. */
  async function authenticateByField(request: FastifyRequest, reply: FastifyReply, fields: unknown): Promise<void> {
    const field = withoutEmpty(fields)
    if (field === undefined) return acceptFormToken(request, (later) => authenticateByField(request, reply, later))
    request.hasTokenParameter = true
    const token = overHttps(request, field)
    const viewer = await findOwner(reply, token)
    if (!viewer) throw toProblem(token)
    await reply.uncountRequest(ipAddressKey(request))
    request.viewer = viewer
    await countCaller(reply)
  }
}

/** @throws Problem 403 for an anonymous caller */
export function requireKey({ viewer }: FastifyRequest): Viewer {
  if (!viewer) throw problems.notPermitted(text('key_needed'))
  return viewer
}

type TokenInput = { readonly token: unknown } | 'over HTTP'

/** Plain HTTP exposes a token in the query or a body, so there it is refused. */
const overHttps = ({ protocol }: FastifyRequest, token: unknown): TokenInput => (protocol === 'https' ? { token } : 'over HTTP')

const bearerToken = (header: string): TokenInput => ({ token: /^Bearer +(\S+)$/i.exec(header.trim())?.[1] })

async function findOwner(reply: FastifyReply, input: TokenInput): Promise<Viewer | undefined> {
  if (input === 'over HTTP' || typeof input.token !== 'string') return undefined
  const viewer = await reply.checkCredentials({ kind: 'token', token: input.token })
  if (viewer) reply.request.tokenHash = hashToken(input.token)
  return viewer
}

const toProblem = (input: TokenInput) => problems.notPermitted(text(input === 'over HTTP' ? 'key_over_http' : 'key_wrong'))

function tokenInQuery({ query }: FastifyRequest): unknown {
  const parameters = query as Readonly<Record<string, unknown>>
  return tokenNames.map((name) => withoutEmpty(parameters[name])).find((token) => token !== undefined)
}

/** Returns the value of a parameter, undefined for an empty one, which counts as absent, or the list of several values. */
function withoutEmpty(value: unknown): unknown {
  const values = [value].flat().filter((one) => !isEmpty(one))
  return values.length > 1 ? values : values[0]
}
