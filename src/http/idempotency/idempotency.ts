import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database, Queryable } from '../../database/database.ts'
import { clientOf } from '../request/client-address.ts'
import { fingerprintOf, hashOf } from '../request/fingerprint.ts'
import { type Claim, claimKey, keepAnswer, type KeptAnswer, releaseKey } from './idempotency-queries.ts'
import { problems } from '../../errors/problems.ts'
import { invalid } from '../validation/validation.ts'

const HEADER = 'idempotency-key'
const FIELD = 'Idempotency-Key'
const KEY = /^[\x21-\x7e]{1,255}$/
/** Of an answer that is given again; all others belong to the one exchange, and are made anew. */
const KEPT_HEADERS = ['content-type', 'content-language', 'location', 'link', 'preference-applied'] as const
/** Whoever is told to wait, to log in or to come back gets another answer when they do. */
const NOT_KEPT = new Set([401, 409, 429])

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that this request holds; null without one. For `once`. */
    idempotency: Claim | null
  }
  interface FastifyContextConfig {
    /** `config: { idempotency: false }` of a POST whose answer holds credentials or is none to keep: its `Idempotency-Key` is ignored. */
    idempotency?: false
  }
}

/**
 * `Idempotency-Key` on every POST (draft-ietf-httpapi-idempotency-key-header): the first answer is kept for 24 hours and given again. A key
 * belongs to caller, method and path, and to what was sent with it. How a change is made once for each key: `idempotent.ts`.
 * @param formKeyOf the key that a form brings itself, which comes before the header
 */
export function addIdempotency(
  api: FastifyInstance,
  { db }: { readonly db: Pick<Database, 'query'> },
  formKeyOf: (request: FastifyRequest) => string | undefined = () => undefined,
): void {
  api.decorateRequest('idempotency', null)

  // The body has been read, but not looked at: that an answer was 422 is remembered, too.
  api.addHook('preValidation', async (request, reply) => {
    if (!takesKey(request)) return
    const key = formKeyOf(request) ?? request.headers[HEADER]?.toString()
    if (key === undefined) return
    if (!KEY.test(key)) throw invalid(request, { [FIELD]: 'must be 1 to 255 visible ASCII characters, such as a UUID' })

    const claimed = await claimKey(db, scopeOf(request, key), fingerprintOf(contentOf(request), key))
    switch (claimed.kind) {
      case 'claimed':
        request.idempotency = claimed.claim
        return
      case 'answered':
        return answerAgain(reply, claimed.answer)
      case 'other request':
        throw invalid(request, { [FIELD]: 'was used for a request with other content: every new request needs a new key' })
      case 'in flight':
        throw problems.keyInFlight()
    }
  })

  // The answer is kept before it is sent: who has it can rely on getting it again.
  api.addHook('onSend', async (request, reply, payload) => {
    const claim = request.idempotency
    if (!claim) return
    request.idempotency = null
    const answer = answerToKeep(reply, payload, claim)
    await (answer ? keepAnswer(db, claim, answer) : releaseKey(db, claim)).catch((error: unknown) =>
      request.log.warn({ err: error }, 'an answer was not kept for its Idempotency-Key'),
    )
  })
}

/** A page that shows what somebody typed, private answers among it, is not kept. */
export async function forgetAnswer(request: FastifyRequest, db: Queryable): Promise<void> {
  const { idempotency } = request
  request.idempotency = null
  if (idempotency) await releaseKey(db, idempotency)
}

const takesKey = ({ method, routeOptions, is404 }: FastifyRequest) =>
  method === 'POST' && !is404 && routeOptions.config.idempotency !== false

function scopeOf(request: FastifyRequest, key: string): string {
  const caller = request.viewer ? `user:${request.viewer.id}` : `address:${clientOf(request)}`
  const path = (request.url.split('?')[0] ?? '').replace(/\/+$/, '')
  return hashOf([caller, request.method, path, key])
}

function contentOf({ body, query }: FastifyRequest): unknown {
  const { access_token: _, ...parameters } = query as Record<string, unknown>
  return { body, parameters }
}

/** A failure is none to keep where the change was made before: the next request may well be able to answer from the receipt. */
function answerToKeep(reply: FastifyReply, payload: unknown, { receipt }: Claim): KeptAnswer | undefined {
  const { statusCode: status } = reply
  if (NOT_KEPT.has(status) || status >= 500 || (receipt && status >= 400)) return undefined
  if (typeof payload !== 'string' && payload !== null && payload !== undefined) return undefined
  const headers = KEPT_HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : []))
  return { status, headers: Object.fromEntries(headers) as Record<string, string>, body: payload ?? null }
}

function answerAgain(reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply {
  return reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(body)
}
