import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { setTimeout as pause } from 'node:timers/promises'

import { text } from '../../locales/texts.ts'
import type { Executable } from '../../database/database.ts'
import { clientKey } from '../request/client-address.ts'
import { contentFingerprint, hashParts } from '../request/fingerprint.ts'
import { type KeyLease, acquireKey, storeResponse, type StoredResponse, releaseKey, LEASE_S } from './idempotency-queries.ts'
import { problems } from '../../errors/problems.ts'
import { bodyWithoutToken } from '../auth/form-token.ts'
import { pickSchemaFields } from '../validation/compilers.ts'
import { type ObjectSchema, convertTextValues } from '../validation/text-values.ts'
import { invalid } from '../validation/validation.ts'

const HEADER = 'idempotency-key'
const FIELD = 'Idempotency-Key'
const KEY = /^[\x21-\x7e]{1,255}$/
const STORED_HEADERS = ['content-type', 'content-language', 'location', 'link', 'preference-applied'] as const
/** Statuses after which the same request may succeed later. */
const NOT_STORED = new Set([401, 409, 429])

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: KeyLease | null
  }
  interface FastifyContextConfig {
    /** Set it on a POST whose response contains credentials or must not be stored. The `Idempotency-Key` is then ignored. */
    idempotency?: false
  }
}

/** Replays responses for 24 hours (draft-ietf-httpapi-idempotency-key-header). `idempotent.ts` makes each change once. */
export function addIdempotency(
  api: FastifyInstance,
  { db }: { readonly db: Executable },
  readFormKey?: (request: FastifyRequest) => string | undefined,
): void {
  api.decorateRequest('idempotency', null)
  const releaseLater = createKeyReleaser(db)

  // The hook runs before validation, so that a 422 is stored as well.
  api.addHook('preValidation', async (request, reply) => {
    if (!acceptsKey(request)) return
    const key = readFormKey?.(request) ?? request.headers[HEADER]?.toString()
    if (key === undefined) return
    if (!KEY.test(key)) throw invalid(request, { [FIELD]: text('key_malformed') })

    const lease = { scope: toScope(request, key), leaseId: randomUUID(), result: null }
    const fingerprint = contentFingerprint(readContent(request, readFormKey !== undefined), key)
    const acquired = await acquireKey(db, lease, fingerprint).catch((error: unknown) => {
      // The connection may have been lost after the key was stored.
      releaseLater(lease)
      throw error
    })
    switch (acquired.kind) {
      case 'acquired':
        request.idempotency = acquired.lease
        return
      case 'completed':
        return replay(reply, acquired.response)
      case 'other request':
        throw invalid(request, { [FIELD]: text('key_reused') })
      case 'in flight':
        throw problems.keyInFlight()
    }
  })

  // The response is stored before it is sent, so that a received response can be replayed.
  api.addHook('onSend', async (request, reply, payload) => {
    const lease = request.idempotency
    if (!lease) return
    request.idempotency = null
    const response = toStoredResponse(reply, payload, lease)
    await (response ? storeResponse(db, lease, response) : releaseKey(db, lease)).catch((error: unknown) => {
      releaseLater(lease)
      request.log.warn({ err: error }, 'could not store the response for its Idempotency-Key')
    })
  })
}

export async function releaseIdempotencyKey(request: FastifyRequest, db: Executable): Promise<void> {
  const { idempotency } = request
  if (idempotency) await releaseKey(db, idempotency)
  request.idempotency = null
}

const acceptsKey = ({ method, routeOptions, is404 }: FastifyRequest) =>
  method === 'POST' && !is404 && routeOptions.config.idempotency !== false

/** The suffix of a path chooses the format, so both paths are the same resource. */
function toScope(request: FastifyRequest, key: string): string {
  const caller = request.viewer ? `user:${request.viewer.id}` : `address:${clientKey(request)}`
  const path = (request.url.split('?')[0] ?? '').replace(/\/+$/, '').replace(/\.(?:json|xml)$/, '')
  return hashParts([caller, request.method, path, key])
}

/** Returns the content that the route reads. Validation sets it after this hook. The form of an HTML page is compared in full. */
function readContent(request: FastifyRequest, isForm: boolean): unknown {
  const { querystring, body } = (request.routeOptions.schema ?? {}) as { querystring?: ObjectSchema; body?: ObjectSchema }
  const query = request.query as Record<string, unknown>
  const { access_token: _token, api_key: _key, ...parameters } = querystring ? convertTextValues(querystring, query) : query
  return { body: isForm ? request.body : pickSchemaFields(bodyWithoutToken(request) ?? null, body), parameters }
}

/** A failure is not stored if the change was made before: the next request may build its response from the stored result. */
function toStoredResponse(reply: FastifyReply, payload: unknown, { result }: KeyLease): StoredResponse | undefined {
  const { statusCode: status } = reply
  if (NOT_STORED.has(status) || status >= 500 || (result && status >= 400)) return undefined
  if (typeof payload !== 'string' && payload !== null && payload !== undefined) return undefined
  const headers = STORED_HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : []))
  return { status, headers: Object.fromEntries(headers) as Record<string, string>, body: payload ?? null }
}

function replay(reply: FastifyReply, { status, headers, body }: StoredResponse): FastifyReply {
  return reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(body)
}

const RETRY_EVERY_MS = 500
/** Limit for leases of failed requests; beyond it the oldest ones expire by themselves. */
const LEASES_MAX = 10_000

/** Returns a function that releases a key as soon as the database answers, until the lease has expired. It does not wait. */
function createKeyReleaser(db: Executable): (lease: KeyLease) => void {
  const pending = new LRUCache<KeyLease, true>({ max: LEASES_MAX, ttl: LEASE_S * 1_000 })
  let isRunning = false

  async function releaseAll(): Promise<void> {
    isRunning = true
    for (;;) {
      await pause(RETRY_EVERY_MS, undefined, { ref: false })
      pending.purgeStale()
      if (pending.size === 0) break
      // All leases wait for the same database, so the first failure ends the attempt.
      await releaseOneByOne().catch(() => undefined)
    }
    isRunning = false
  }

  async function releaseOneByOne(): Promise<void> {
    for (const lease of [...pending.keys()]) {
      await releaseKey(db, lease)
      pending.delete(lease)
    }
  }

  return (lease) => {
    pending.set(lease, true)
    if (!isRunning) void releaseAll()
  }
}
