import { createHash, createHmac } from 'node:crypto'

import { Upload } from './upload.ts'

function canonical(value: unknown): unknown {
  if (value instanceof Upload) return { file: value.sha256 }
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, canonical(inner)])
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns an HMAC under the idempotency key, which is not stored: a reader of the database must not guess passwords. */
export function contentFingerprint(content: unknown, key: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(canonical(content)))
    .digest('base64url')
}

export function hashParts(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
