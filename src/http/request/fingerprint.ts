import { createHash, createHmac } from 'node:crypto'

import { Upload } from './upload.ts'

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

export function hashParts(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
