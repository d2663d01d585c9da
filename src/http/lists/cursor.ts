import Type from 'typebox'

import { text } from '../../locales/texts.ts'
import { hashParts } from '../request/fingerprint.ts'
import { hasParameter, type Page, toPage } from './pagination.ts'

/*
 * Keyset pagination (docs/adr/0005): every page costs the same, and concurrent inserts and deletions shift no rows. A cursor is
 * unsigned, because it contains visible data only and a forged one shows public rows only.
 */

export interface Cursor {
  readonly page: number
  /** Identifies the list, by `hashList`. */
  readonly listHash: string
  readonly key: string
  readonly id: number
}

const VERSION = 1
const CURSOR_MAX = 200
/** Limit of fifteen digits, below which JavaScript numbers are exact. */
const PAGE_MAX = 999_999_999_999_999
const CURSOR_TEXT = /^1 ([\w-]{16}) ([1-9]\d{0,14}) ([1-9]\d{0,9}) ([\w.:+-]{1,40})$/

export const CursorQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      maxLength: CURSOR_MAX,
      description:
        'Start of the page, from a next_page_url. Every page is equally fast, and no issue is skipped or repeated when others change. A different `page` takes precedence; with other parameters the cursor is ignored.',
      examples: [encodeCursor({ page: 2, listHash: hashParts([]).slice(0, 16), key: '2026-01-31T12:00:00.000Z', id: 4711 })],
      'x-allowed': text('cursor_of_next_page'),
    }),
  ),
})

/** Returns a short URL-safe text, or undefined for a page that only its number can identify. */
export function encodeCursor({ listHash, page, id, key }: Cursor): string | undefined {
  if (page > PAGE_MAX) return undefined
  return Buffer.from(`${VERSION} ${listHash} ${page} ${id} ${key}`).toString('base64url')
}

/** Returns undefined for any text that `encodeCursor` does not produce. */
export function decodeCursor(encoded: string): Cursor | undefined {
  if (encoded.length > CURSOR_MAX) return undefined
  const parts = CURSOR_TEXT.exec(Buffer.from(encoded, 'base64url').toString())
  if (!parts) return undefined
  const [, listHash = '', page, id, key = ''] = parts
  const cursor = { listHash, page: Number(page), id: Number(id), key }
  return encodeCursor(cursor) === encoded ? cursor : undefined
}

/** Returns a hash of everything that filters, sorts and limits a list. */
export function hashList(identity: Readonly<Record<string, unknown>>): string {
  return hashParts([JSON.stringify(identity)]).slice(0, 16)
}

export interface CursorPage extends Page {
  /** Position after which the page begins. It is undefined if there is no cursor, or if `page` overrides it. */
  readonly cursor?: Cursor
}

/** A `page` that differs from the cursor's takes precedence. `parameters` are raw, before `page` gets its default. */
export function toCursorPage(
  query: { page?: number; per_page?: number; cursor?: string },
  parameters: URLSearchParams,
  max?: number,
): CursorPage {
  const page = toPage(query, max)
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  if (!cursor || (hasParameter(parameters, 'page') && page.page !== cursor.page)) return page
  return { ...page, cursor }
}
