import type { FastifyRequest } from 'fastify'
import parseRange from 'range-parser'

import { problems } from '../../errors/problems.ts'
import type { Part } from '../../storage/file-store.ts'

interface WholeFile {
  readonly bytes: number
  /** A strong ETag; `If-Range` with another one asks for the whole file. */
  readonly etag: string
}

/**
 * Returns the requested part of a file (RFC 9110, 14.2), and undefined for the whole file.
 * @throws Problem 416 if the range is outside of the file, or if there are several
 */
export function readByteRange({ method, headers }: FastifyRequest, { bytes, etag }: WholeFile): Part | undefined {
  const { range, 'if-range': ifRange } = headers
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const parts = parseRange(bytes, range)
  if (parts === -1) throw problems.rangeNotSatisfiable(bytes)
  // An invalid range is ignored, as RFC 9110 requires.
  if (parts === -2 || parts.type !== 'bytes') return undefined
  if (parts.length > 1) throw problems.severalRanges(bytes)
  return parts[0]
}
