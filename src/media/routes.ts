import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import parseRange from 'range-parser'

import type { Viewer } from '../http/auth/access.ts'
import { limitConcurrency } from '../http/request/concurrency-limit.ts'
import { addClientShare } from '../http/rate-limit/client-share.ts'
import { shedLoad } from '../http/plugins.ts'
import { credentialsOf, tokenInUrl } from '../http/auth/parse-credentials.ts'
import { problems } from '../errors/problems.ts'
import { isFromAnotherSite } from '../http/request/same-origin.ts'
import type { Services } from '../services.ts'
import { findPictureAccess, type PictureAccess } from './queries.ts'
import { FILE_KEY } from '../storage/open-file-store.ts'
import type { OpenFile, Part } from '../storage/file-store.ts'

/** The rate limit is for the API alone, so it is all pictures together that are bounded: some connections of those for reads. */
const LOOK_UPS = { atOnce: 4, waitingMax: 1_000, waitMaxMs: 10_000 }

/** Each holds a file, or a connection to the bucket, for as long as its receiver takes. */
const ON_THEIR_WAY_MAX = 400

/** A page shows some twenty pictures at once. */
const SHARE = { atOnce: 20, waitingMax: 50, waitMaxMs: 10_000, rateTimes: 300, networkAtOnce: 60 }

/** Enough for 20 MB on a slow line. */
const ON_ITS_WAY_MAX_MS = 300_000

const types: Readonly<Record<string, string>> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif' }

/** Pictures under the addresses that stand in answers: `/files/` and their key. The content of a key never changes. */
export const pictureRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { config, db, files, urls } = services
  await shedLoad(app, services)
  addClientShare(app, config, SHARE)
  const oneLookUp = limitConcurrency(LOOK_UPS)
  let onTheirWay = 0

  app.route<{ Params: { '*': string } }>({
    // Not made of GET, which would read the whole file for a HEAD.
    method: ['GET', 'HEAD'],
    url: '/files/pictures/*',
    // Nobody needs a page of the documentation for them: their addresses stand in answers.
    schema: { hide: true },
    async handler(request, reply) {
      const key = `pictures/${request.params['*']}`
      const access = await accessTo(key, request, reply)
      const name = key.slice(key.lastIndexOf('/') + 1)
      const etag = `"${name}"`
      const isForAll = access.is_public && tokenInUrl(request) === undefined
      const validators = { etag, 'cache-control': isForAll ? 'public, max-age=31536000, immutable' : 'private, no-store' }
      if (fresh(request.headers, { etag })) return reply.headers(validators).code(304).send()

      const isWhole = request.method === 'GET' && request.headers.range === undefined
      const bytes = isWhole ? undefined : await files.size(key)
      if (!isWhole && bytes === undefined) throw pictureNotFound(reply)
      const part = bytes === undefined ? undefined : partOf(request, bytes, etag)
      const headers = {
        ...validators,
        'accept-ranges': 'bytes',
        'content-type': types[name.slice(-3)],
        'content-disposition': `inline; filename="${name}"`,
        // It may have come from anybody: opened by itself it is a document that may do nothing.
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': access.is_public ? 'cross-origin' : 'same-origin',
        ...(part ? { 'content-range': `bytes ${part.start}-${part.end}/${bytes}` } : {}),
      }
      if (request.method === 'HEAD') return reply.headers({ ...headers, 'content-length': bytes }).send()
      // Opened before a header is set: what is not there, or cannot be reached, is known by now.
      const file = await open(key, part)
      if (!file) throw pictureNotFound(reply)
      return reply
        .headers({ ...headers, 'content-length': file.bytes })
        .code(part ? 206 : 200)
        .send(file.stream)
    },
  })

  /** @throws Problem 404 whether there is none or the caller may not see it; 401 for wrong credentials */
  async function accessTo(key: string, request: FastifyRequest, reply: FastifyReply): Promise<PictureAccess> {
    const seenByEverybody = FILE_KEY.test(key) ? await look(key, null) : undefined
    if (seenByEverybody?.is_public) return seenByEverybody
    const viewer = await viewerOf(request, reply)
    const access = seenByEverybody && viewer ? await look(key, viewer) : undefined
    if (!access?.is_visible) throw pictureNotFound(reply)
    return access
  }

  /** A replica may not know yet what was named a moment ago, and nobody may take that for an answer that lasts. */
  async function look(key: string, viewer: Viewer | null): Promise<PictureAccess | undefined> {
    const found = await oneLookUp(() => findPictureAccess({ query: db.read }, key, viewer))
    return found ?? (db.readsMayLag ? await oneLookUp(() => findPictureAccess(db, key, viewer)) : undefined)
  }

  /** Only where it matters who asks. Another site's page may show what everybody may see, and nothing in our visitor's name. */
  async function viewerOf(request: FastifyRequest, reply: FastifyReply): Promise<Viewer | null> {
    const given = credentialsOf(request, urls)
    if (!given || (given.kind !== 'token' && isFromAnotherSite(request, urls))) return null
    const viewer = await reply.checkCredentials(given)
    if (!viewer && given.kind !== 'session') throw problems.wrongCredentials()
    request.viewer = viewer ?? null
    return request.viewer
  }

  async function open(key: string, part: Part | undefined): Promise<OpenFile | undefined> {
    if (onTheirWay >= ON_THEIR_WAY_MAX) throw problems.unavailable()
    onTheirWay += 1
    const arrived = () => (onTheirWay -= 1)
    try {
      const file = await files.open(key, part)
      if (!file) arrived()
      else cutOffLate(file).once('close', arrived)
      return file
    } catch (error) {
      arrived()
      throw error
    }
  }
}

function cutOffLate({ stream }: OpenFile) {
  const late = setTimeout(() => stream.destroy(new Error('the receiver is too slow')), ON_ITS_WAY_MAX_MS)
  return stream.once('close', () => clearTimeout(late))
}

/** Where it may appear in a moment, no 404 may be kept. */
function pictureNotFound(reply: FastifyReply) {
  void reply.header('cache-control', 'no-store')
  return problems.notFound('The picture')
}

/**
 * One range of bytes (RFC 9110); undefined where the whole is to be sent.
 * @throws Problem 416 where it lies outside of the file
 */
function partOf({ method, headers }: FastifyRequest, bytes: number, etag: string): Part | undefined {
  const { range, 'if-range': ifRange } = headers
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const parts = parseRange(bytes, range, { combine: true })
  if (parts === -1) throw problems.partNotThere(bytes)
  // What cannot be read is no range, and of several parts none is worth an answer in several pieces.
  return parts === -2 || parts.type !== 'bytes' || parts.length !== 1 ? undefined : parts[0]
}
