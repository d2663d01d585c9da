import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash, createHmac } from 'node:crypto'

import { problems } from '../../errors/problems.ts'
import { Upload } from './upload.ts'

type Headers = Pick<FastifyRequest, 'headers'>

/**
 * Sets a strong ETag (RFC 9110, 8.8.3), which changes take as `If-Match`: the version of what can be changed, and a hash of this representation of it.
 * Returns the representation.
 * @param version the number of the version, or the content whose hash it is
 */
export function withEtag<Body>(reply: FastifyReply, body: Body, version: unknown = body): Body {
  void reply.header('etag', `"${typeof version === 'number' ? version : toHash(version)}.${toHash(body)}"`)
  return body
}

/**
 * Compares the content with the version that the caller has read. Call it in the transaction of the change, after the lock.
 * @throws Problem 428 without `If-Match` (RFC 6585), 412 if it names another version, 422 if it is no ETag
 */
export function requireMatch({ headers }: Headers, content: unknown): void {
  const version = readTag(headers['if-match'])
  if (version !== '*' && version !== toHash(content)) throw problems.contentChanged()
}

/** Compares the content as `requireMatch` does if the caller names a version. `find` runs only then. */
export async function matchIfGiven(request: Headers, find: () => Promise<unknown>): Promise<void> {
  if (request.headers['if-match'] !== undefined) requireMatch(request, await find())
}

/**
 * Returns the version of an issue that the caller has read, from its ETag or `If-Match: "7"`, or `any` for `If-Match: *` (RFC 9110, section 13.1.1).
 * @throws Problem 428 without the header (RFC 6585), 422 if it is neither
 */
export const requireVersion = ({ headers }: Headers): number | 'any' => parseVersion(headers['if-match'])

/** Parses a version as `requireVersion` does. Forms of pages have it in a hidden field. */
export function parseVersion(text: string | undefined): number | 'any' {
  const version = readTag(text)
  if (version === '*') return 'any'
  if (!/^[1-9]\d{0,9}$/.test(version)) throw problems.versionInvalid()
  return Number(version)
}

function readTag(text = ''): string {
  if (text.trim() === '') throw problems.versionMissing()
  const version = /^(?:"?([\w-]+)(?:\.[\w-]+)?"?|(\*))$/.exec(text.trim())
  if (!version) throw problems.versionInvalid()
  return version[1] ?? '*'
}

const toHash = (content: unknown) => hash('sha1', JSON.stringify(content), 'base64url')

function canonicalize(value: unknown): unknown {
  if (value instanceof Upload) return { file: value.sha256 }
  if (Array.isArray(value)) return value.map(canonicalize)
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, canonicalize(inner)])
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns an HMAC under the idempotency key. The key is not stored, so that a reader of the database cannot guess passwords. */
export function contentFingerprint(content: unknown, key: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(canonicalize(content)))
    .digest('base64url')
}
