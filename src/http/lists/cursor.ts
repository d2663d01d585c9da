import Type from 'typebox'

import { hashOf } from '../request/fingerprint.ts'
import { type Page, pageOf } from './pagination.ts'

/*
 * A cursor stands beside `page` in the address of a next page and says where that page begins: behind this row. So its reader pays the
 * same on every page, and rows that come or go meanwhile shift nothing. It holds nothing that the page before did not show, and is not
 * signed: whoever makes one up reads from a place of their choice what anybody may read. docs/adr/0046 has the rest.
 */

export interface Cursor {
  /** What it leads to. */
  readonly page: number
  /** The digest of the list that it was given by (`digestOf`). */
  readonly list: string
  /** Of the last row of the page before: what it is sorted by, as text, and its id. */
  readonly key: string
  readonly id: number
}

const VERSION = 1
const CURSOR_MAX = 200
/** Fifteen digits, far from where numbers get inexact. */
const PAGE_MAX = 999_999_999_999_999
const WRITTEN = /^1 ([\w-]{16}) ([1-9]\d{0,14}) ([1-9]\d{0,9}) ([\w.:+-]{1,40})$/

export const CursorQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      maxLength: CURSOR_MAX,
      description:
        'Where the page begins; only ever that of a next_page_url, which costs the same on every page and skips and repeats nothing while issues come and go. It belongs to its page (another `page` wins over it, and without `page` its own counts) and to its parameters (with others it is ignored).',
      examples: [cursorText({ page: 2, list: hashOf([]).slice(0, 16), key: '2026-01-31T12:00:00.000Z', id: 4711 })],
      'x-allowed': 'the cursor of a next_page_url, as it was given: follow that address, or leave cursor out',
    }),
  ),
})

/** Short, and of characters that stand in an address as they are. Undefined for a page that no cursor is read for: its number leads there. */
export function cursorText({ list, page, id, key }: Cursor): string | undefined {
  if (page > PAGE_MAX) return undefined
  return Buffer.from(`${VERSION} ${list} ${page} ${id} ${key}`).toString('base64url')
}

/** Undefined for whatever is not exactly as `cursorText` writes it. */
export function readCursor(text: string): Cursor | undefined {
  if (text.length > CURSOR_MAX) return undefined
  const parts = WRITTEN.exec(Buffer.from(text, 'base64url').toString())
  if (!parts) return undefined
  const [, list = '', page, id, key = ''] = parts
  const cursor = { list, page: Number(page), id: Number(id), key }
  // The same bytes may be written otherwise, too.
  return cursorText(cursor) === text ? cursor : undefined
}

/** One short text for one list: whatever filters, sorts and cuts it. */
export function digestOf(list: Readonly<Record<string, unknown>>): string {
  return hashOf([JSON.stringify(list)]).slice(0, 16)
}

export interface CursorPage extends Page {
  /** The row that the page of `cursor.page` begins after, if the cursor belongs to this list; otherwise the number `page` counts. */
  readonly cursor?: Cursor
}

/**
 * The page that is meant, as `pageOf` says: where `page` was edited it wins over the cursor.
 * @param given the raw parameters, which still tell whether `page` was given
 */
export function cursorPageOf(
  query: { page?: number; per_page?: number; cursor?: string },
  given: URLSearchParams,
  max?: number,
): CursorPage {
  const page = pageOf(query, max)
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor)
  if (!cursor || (given.has('page') && page.page !== cursor.page)) return page
  return { ...page, cursor }
}
