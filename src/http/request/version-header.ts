import type { FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'

/**
 * Returns the version that the caller has read, from `If-Match: "7"`, or `any` for `If-Match: *` (RFC 9110, section 13.1.1).
 * @throws Problem 428 without the header (RFC 6585), 422 if it is neither
 */
export const requireVersion = ({ headers }: Pick<FastifyRequest, 'headers'>): number | 'any' =>
  parseVersion(headers['if-match'] ?? '')

/** Parses a version as `requireVersion` does. Forms of pages have it in a hidden field. */
export function parseVersion(text: string): number | 'any' {
  const value = text.trim()
  if (value === '') throw problems.versionMissing()
  if (value === '*') return 'any'
  const version = /^"?([1-9]\d{0,9})"?$/.exec(value)?.[1]
  if (version === undefined) throw problems.versionInvalid()
  return Number(version)
}
