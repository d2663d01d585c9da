import { createHash, createHmac } from 'node:crypto'

import { Upload } from './upload.ts'

/** One text for whatever is the same, in whatever order its fields came. Files are the same when their content is. */
function canonical(value: unknown): unknown {
  if (value instanceof Upload) return { file: value.sha256 }
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, canonical(inner)])
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * A hash of what was sent. Bodies may hold passwords, and whoever reads the database must not be able to guess them: the secret is the
 * key itself, which is nowhere kept.
 */
export function fingerprintOf(content: unknown, key: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(canonical(content)))
    .digest('base64url')
}

export function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
