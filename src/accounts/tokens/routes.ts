import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { text } from '../../locales/texts.ts'
import { addDeletion } from '../../http/auth/deletion-route.ts'
import { requireViewer, type Viewer } from '../../http/auth/authentication.ts'
import { hashToken, newToken } from '../../http/identity/credentials.ts'
import { parseCredentials } from '../../http/auth/parse-credentials.ts'
import { readTimestamp, failsWith, toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import { Problem, problems } from '../../errors/problems.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Services } from '../../services.ts'
import { addToken, listTokens, removeToken, type TokenRow, TOKENS_MAX } from './queries.ts'
import { AccessToken, CreatedToken, GrantRefusal, NewToken, PasswordGrant, TokenList, TokenParams } from './schema.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'

export const tokenRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock, urls }) => {
  tagRoutes(app, 'Tokens')
  async function createToken(owner: Viewer, name: string | null, expires_at: string | null) {
    const token = newToken()
    const row = await addToken(db, owner, { token_hash: hashToken(token), name, expires_at })
    if (row === 'ended') throw problems.wrongCredentials()
    if (row === 'too many') throw problems.invalid({ base: text('too_many_tokens', { max: TOKENS_MAX }) })
    return { ...toToken(row), token }
  }

  app.post(
    '/tokens',
    {
      config: { idempotency: false, bodyIsOptional: true },
      schema: {
        operationId: 'createToken',
        summary: 'Create a token',
        description: 'Requires HTTP Basic, or `email` and `password` in the body. The token is shown only once.',
        body: NewToken,
        response: { 201: CreatedToken, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { name = null, expires_at } = request.body
      const expiresAt = expires_at === undefined ? null : (readTimestamp(expires_at) ?? null)
      if (expiresAt !== null && Date.parse(expiresAt) <= clock().getTime())
        throw problems.invalid({ expires_at: text('not_in_future') })
      const owner = await authenticateOwner(request, reply, urls)
      void reply.code(201).header('cache-control', 'private, no-store')
      return createToken(owner, name, expiresAt)
    },
  )

  app.get(
    '/tokens',
    {
      schema: {
        operationId: 'listTokens',
        summary: 'List your tokens',
        description:
          'Oldest first, without expired tokens. Only hashes of tokens are stored, so the tokens themselves cannot be shown.',
        response: { 200: TokenList, ...failsWith() },
      },
    },
    async (request) => {
      const tokens = await listTokens(db, requireViewer(request).id)
      return { errors: {}, metadata: {}, tokens: tokens.map(toToken) }
    },
  )

  addDeletion(app, {
    path: '/tokens/:id',
    operationId: 'deleteToken',
    summary: 'Delete one of your tokens',
    description: 'The token is invalid immediately.',
    params: TokenParams,
    done: 'The token is deleted.',
    fails: [404],
    async act(viewer, { id }) {
      if (!(await removeToken(db, viewer.id, id))) throw problems.notFound('the_token')
    },
  })

  app.post(
    '/oauth/token',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'grantToken',
        summary: 'Create a token with the OAuth 2.0 password grant',
        description:
          'RFC 6749, 4.3, for first-party clients. It creates the same tokens as `POST /tokens`, without an expiry. `/oauth/token` at the root is an alias.',
        body: PasswordGrant,
        response: { 200: AccessToken, ...failsWith(413, 415, 422), 400: GrantRefusal },
      },
    },
    async (request, reply) => {
      // RFC 6749, 5.1, requires both headers.
      void reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
      const grant = readGrant(request.body)
      if ('error' in grant) return reply.code(400).send(grant)
      const viewer = await reply.logIn(grant.username, grant.password).catch(toGrantError)
      if ('error' in viewer) return reply.code(400).send(viewer)
      const { token } = await createToken(viewer, 'OAuth', null)
      return { access_token: token, token_type: 'Bearer' }
    },
  )
}

/** The password is required, because a stolen token could otherwise create further tokens and retain its access. */
async function authenticateOwner(request: FastifyRequest<{ Body: NewToken }>, reply: FastifyReply, urls: Urls): Promise<Viewer> {
  const { email, password } = request.body
  if (request.viewer && parseCredentials(request, urls)?.kind === 'basic') return request.viewer
  if (email === undefined && password === undefined) throw problems.passwordNeeded()
  if (email === undefined) throw problems.invalid({ email: text('required_with_password') })
  if (password === undefined) throw problems.invalid({ password: text('required_with_email') })
  return reply.logIn(email, password)
}

function toToken({ id, name, created_at, expires_at }: TokenRow) {
  return {
    id,
    name,
    created_at: toTimestamp(created_at.toISOString()),
    expires_at: toNullableTimestamp(expires_at?.toISOString() ?? null),
  }
}

/** Error response (RFC 6749, 5.2). */
interface GrantError {
  readonly error: 'invalid_request' | 'unsupported_grant_type' | 'invalid_grant'
  readonly error_description: string
}

const CREDENTIAL_MAX = 500

function readGrant(body: { readonly grant_type?: unknown; readonly username?: unknown; readonly password?: unknown }) {
  const { grant_type, username, password } = body
  if (grant_type === undefined) return grantError('invalid_request', 'grant_type is missing: it must be password.')
  if (grant_type !== 'password') return grantError('unsupported_grant_type', 'The only grant_type is password.')
  if (!isCredential(username))
    return grantError('invalid_request', 'username must be given once: an e-mail address of the account.')
  if (!isCredential(password)) return grantError('invalid_request', 'password must be given once.')
  return { username, password }
}

function toGrantError(error: unknown): GrantError {
  if (error instanceof Problem && error.status === 401) return grantError('invalid_grant', error.message)
  throw error
}

const isCredential = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= CREDENTIAL_MAX

const grantError = (error: GrantError['error'], error_description: string): GrantError => ({ error, error_description })
