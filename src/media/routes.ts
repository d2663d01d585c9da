import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'

import { toCredentialsProblem, type Viewer } from '../http/auth/authentication.ts'
import { limitConcurrency } from '../http/request/request-limit.ts'
import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { readByteRange } from '../http/request/byte-range.ts'
import { shedLoad } from '../http/request/load-shedding.ts'
import { parseCredentials, tokenInQuery } from '../http/auth/parse-credentials.ts'
import { problems } from '../errors/problems.ts'
import { isCrossSite } from '../http/request/browser-security.ts'
import type { Services } from '../services.ts'
import { findImageAccess, type ImageAccess } from './queries.ts'
import { FILE_KEY } from '../storage/open-file-store.ts'
import type { OpenFile, Part } from '../storage/file-store.ts'

/** Limit of lookups for all clients, because the rate limit only covers the API. It leaves read connections for the API. */
const LOOKUP_LIMITS = { concurrency: 4, queueMax: 1_000, waitMaxMs: 10_000 }

/** Shared caches ask again soon, because a moderator may redact or reject the picture; browsers keep what they have shown. */
const PUBLIC_CACHING = 'public, max-age=31536000, s-maxage=300, immutable'

/** Maximum number of concurrent downloads; each holds a file or a connection to the bucket as long as the client reads. */
const DOWNLOADS_MAX = 400

/** Limits per client; a page shows about twenty images at once. */
const CLIENT_LIMITS = { concurrency: 20, queueMax: 50, waitMaxMs: 10_000, rateFactor: 300, networkConcurrency: 60 }

/** Maximum duration of a download, enough for 20 MB on a slow connection. */
const DOWNLOAD_MAX_MS = 300_000

const types: Readonly<Record<string, string>> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif' }

/** Serves images under `/files/` and their key. The content of a key never changes. */
export const imageRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { config, db, files, urls } = services
  shedLoad(app)
  addClientLimits(app, config, CLIENT_LIMITS)
  const limitLookup = limitConcurrency(LOOKUP_LIMITS)
  let activeDownloads = 0

  app.route<{ Params: { '*': string } }>({
    // HEAD has its own handling: derived from GET it would read the whole file.
    method: ['GET', 'HEAD'],
    url: '/files/pictures/*',
    // Clients get these URLs from other responses, so they are left out of the API documentation.
    schema: { hide: true },
    async handler(request, reply) {
      const key = `pictures/${request.params['*']}`
      const access = await requireAccess(key, request, reply)
      const name = key.slice(key.lastIndexOf('/') + 1)
      const etag = `"${name}"`
      const isPublic = access.is_public && tokenInQuery(request) === undefined
      const validators = { etag, 'cache-control': isPublic ? PUBLIC_CACHING : 'private, no-store' }
      if (fresh(request.headers, { etag })) return reply.headers(validators).code(304).send()

      const isWhole = request.method === 'GET' && request.headers.range === undefined
      const bytes = isWhole ? undefined : await files.size(key)
      if (!isWhole && bytes === undefined) throw imageNotFound(reply)
      const part = bytes === undefined ? undefined : readByteRange(request, { bytes, etag })
      const headers = {
        ...validators,
        'accept-ranges': 'bytes',
        'content-type': types[name.slice(-3)],
        'content-disposition': `inline; filename="${name}"`,
        // The content comes from users, so an image opened as a document must not run scripts.
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': access.is_public ? 'cross-origin' : 'same-origin',
        ...(part ? { 'content-range': `bytes ${part.start}-${part.end}/${bytes}` } : {}),
      }
      if (request.method === 'HEAD') return reply.headers({ ...headers, 'content-length': bytes }).send()
      // The file is opened before headers are set, so that errors of the store get their own response.
      const file = await open(key, part)
      if (!file) throw imageNotFound(reply)
      return reply
        .headers({ ...headers, 'content-length': file.bytes })
        .code(part ? 206 : 200)
        .send(file.stream)
    },
  })

  /** @throws Problem 404 if there is no image or the caller may not see it; 401 for wrong credentials */
  async function requireAccess(key: string, request: FastifyRequest, reply: FastifyReply): Promise<ImageAccess> {
    const anonymousAccess = FILE_KEY.test(key) ? await findAccess(key, null) : undefined
    if (anonymousAccess?.is_public) return anonymousAccess
    const viewer = await authenticate(request, reply)
    const access = anonymousAccess && viewer ? await findAccess(key, viewer) : undefined
    if (!access?.is_visible) throw imageNotFound(reply)
    return access
  }

  /** A replica may not have the newest rows yet, so a missing row is looked up again in the primary. */
  async function findAccess(key: string, viewer: Viewer | null): Promise<ImageAccess | undefined> {
    const found = await limitLookup(() => findImageAccess(db.reader, key, viewer))
    return found ?? (db.readsMayLag ? await limitLookup(() => findImageAccess(db, key, viewer)) : undefined)
  }

  /** Requests from other sites are treated as anonymous, so that they cannot use the visitor's session. */
  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Viewer | null> {
    const credentials = parseCredentials(request, urls)
    if (!credentials || (credentials.kind !== 'token' && isCrossSite(request, urls))) return null
    const viewer = await reply.checkCredentials(credentials)
    if (!viewer && credentials.kind !== 'session') throw toCredentialsProblem(credentials)
    request.viewer = viewer ?? null
    return request.viewer
  }

  async function open(key: string, part: Part | undefined): Promise<OpenFile | undefined> {
    if (activeDownloads >= DOWNLOADS_MAX) throw problems.unavailable()
    activeDownloads += 1
    const release = () => (activeDownloads -= 1)
    try {
      const file = await files.open(key, part)
      if (!file) release()
      else destroyAfterTimeout(file).once('close', release)
      return file
    } catch (error) {
      release()
      throw error
    }
  }
}

function destroyAfterTimeout({ stream }: OpenFile) {
  const timeout = setTimeout(() => stream.destroy(new Error('the receiver is too slow')), DOWNLOAD_MAX_MS)
  return stream.once('close', () => clearTimeout(timeout))
}

function imageNotFound(reply: FastifyReply) {
  void reply.header('cache-control', 'no-store')
  return problems.notFound('the_picture')
}
