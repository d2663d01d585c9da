import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import type { Executable, Database, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { bodyWithoutToken } from '../auth/form-token.ts'
import { clientKey } from '../request/client-address.ts'
import { contentFingerprint } from '../request/version-header.ts'
import { convertTextValues } from '../validation/text-values.ts'
import { pickSchemaFields, type ObjectSchema } from '../validation/input-transforms.ts'
import { invalid } from '../validation/validation.ts'
import {
  type KeyLease,
  acquireKey,
  storeResponse,
  type StoredResponse,
  releaseKey,
  LEASE_S,
  type ChangeResult,
  storeResult,
} from './idempotency-queries.ts'

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

/** Replays responses for 24 hours (draft-ietf-httpapi-idempotency-key-header). `idempotent` makes each change once. */
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
    const acquired = await acquireKey(db, lease, fingerprint, request.viewer?.id ?? null).catch((error: unknown) => {
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
  return hash('sha256', JSON.stringify([caller, request.method, path, key]), 'base64url')
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

export type { ChangeResult } from './idempotency-queries.ts'

/** Returns the result of an interrupted request with this key, for routes that do much work or may refuse before `idempotent`. */
export function storedResult<Result extends ChangeResult>({
  idempotency,
}: Pick<FastifyRequest, 'idempotency'>): Result | undefined {
  return (idempotency?.result ?? undefined) as Result | undefined
}

/**
 * Makes the change of a POST in one transaction, once for each `Idempotency-Key`: the transaction stores the result of `work`, and
 * a repeated request gets it without a call of `work`. Call it at most once in a request.
 * @throws Problem 409 if another request with the key has taken over; the transaction is rolled back
 */
export async function idempotent<Result extends ChangeResult>(
  request: Pick<FastifyRequest, 'idempotency'>,
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const lease = request.idempotency
  if (!lease) return db.transaction(work)
  const stored = storedResult<Result>(request)
  if (stored) return stored
  const result = await db.transaction(async (tx) => {
    const changed = await work(tx)
    if (!(await storeResult(tx, lease, changed))) throw problems.keyInFlight()
    return changed
  })
  request.idempotency = { ...lease, result }
  return result
}
