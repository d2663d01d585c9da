import { hash } from 'node:crypto'
import Type, { type TSchema } from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { isSpellingOf } from '../request/similar-names.ts'
import { URL_MAX, apiPrefix, type Urls } from '../request/urls.ts'
import { nullable, urlLike } from '../schema/fields.ts'

/* A list spreads `PageQuery` into its query schema, limits its SQL with `limitClause(toPage(query))` and returns `toMetadata`. */

const perPageDefault = 20
export const perPageMax = 100
/** Largest integer that every JSON client reads exactly. A higher page counts as this one. */
export const pageMax = Number.MAX_SAFE_INTEGER

export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      default: 1,
      description: 'Page number; a value below 1 counts as 1. A page past the end is empty.',
      examples: [1],
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      default: perPageDefault,
      description: `Rows of a page, at most ${perPageMax}; values outside the range are clamped.`,
      examples: [20],
    }),
  ),
})

export const PageMetadata = Type.Object(
  {
    pagination: Type.Object({
      entries: Type.Integer({ description: 'The exact number of rows over all pages.', examples: [57] }),
      page: Type.Integer({ examples: [1] }),
      per_page: Type.Integer({ examples: [20] }),
      pages: Type.Integer({ examples: [3] }),
      next_page: nullable(Type.Integer({ examples: [2] })),
      next_page_url: nullable(urlLike('/api/v2/issues?page=2&place_url=denver')),
      previous_page: nullable(Type.Integer(), { examples: [null] }),
      previous_page_url: nullable(Type.String({ format: 'uri' }), { examples: [null] }),
    }),
  },
  { title: 'Metadata' },
)

/** Returns the response schema of a list under its plural name: `listResponse('issues', Issue)`. */
export function listResponse<const Name extends string, Item extends TSchema>(name: Name, item: Item) {
  return Type.Object({
    metadata: PageMetadata,
    [name]: Type.Array(item),
    errors: Type.Object({}, { description: 'Empty on success.' }),
  } as { metadata: typeof PageMetadata; errors: ReturnType<typeof Type.Object<Record<never, never>>> } & Record<
    Name,
    ReturnType<typeof Type.Array<Item>>
  >)
}

export interface Page {
  readonly page: number
  readonly perPage: number
}

export function toPage(query: { page?: number; per_page?: number }, max = perPageMax): Page {
  return {
    page: Math.min(Math.max(query.page ?? 1, 1), pageMax),
    perPage: Math.min(Math.max(query.per_page ?? perPageDefault, 1), max),
  }
}

export function limitClause({ page, perPage }: Page): Sql {
  return sql`LIMIT ${perPage}::integer OFFSET ${(page - 1) * perPage}::bigint`
}

/** `api_key` is the name of Open311, which clients send to other addresses too. */
export const isCredentialParameter = (name: string) => isSpellingOf('access_token', name) || isSpellingOf('api_key', name)

/**
 * Returns the metadata of a list at a path relative to /api/v2. URLs of other pages keep the raw `parameters`.
 * @throws Problem 422 if those URLs would exceed the limit for URLs
 */
export function toMetadata(urls: Urls, path: string, parameters: URLSearchParams, page: Page, entries: number, next?: NextPage) {
  return { pagination: toPagination(urls, `${apiPrefix}${path}`, parameters, page, entries, next) }
}

export interface NextPage {
  readonly hasNext: boolean
  readonly cursor?: string | undefined
}

export function toPagination(
  urls: Urls,
  path: string,
  parameters: URLSearchParams,
  { page, perPage }: Page,
  entries: number,
  { hasNext, cursor }: Partial<NextPage> = {},
) {
  const pages = Math.ceil(entries / perPage)
  const next = (hasNext ?? page < pages) ? page + 1 : null
  const previous = page > 1 && pages > 0 ? Math.min(page - 1, pages) : null
  const pageUrl = (number: number | null, pageCursor?: string) =>
    number === null ? null : `${urls.root}${path}?${pageParameters(parameters, number, pageCursor)}`
  refuseTooLong(urls, pageUrl(Math.max(pages, next ?? 0)) ?? '')
  const nextUrl = pageUrl(next, cursor)
  return {
    entries,
    page,
    per_page: perPage,
    pages,
    next_page: next,
    // A URL without room for the cursor identifies the page by its number.
    next_page_url: nextUrl !== null && isTooLong(urls, nextUrl) ? pageUrl(next) : nextUrl,
    previous_page: previous,
    previous_page_url: pageUrl(previous),
  }
}

/**
 * Percent-encoding can triple the length of a URL, and the service returns no URL that it would refuse.
 * @throws Problem 422 for such a URL
 */
export function refuseTooLong(urls: Urls, url: string): void {
  if (!isTooLong(urls, url)) return
  throw problems.invalid({
    base: text('parameters_too_long', { max: URL_MAX }),
  })
}

export const isTooLong = (urls: Urls, url: string) => url.length - new URL(urls.root).origin.length > URL_MAX

function pageParameters(parameters: URLSearchParams, page: number, cursor: string | undefined): string {
  const others = [...parameters].filter(([name]) => name !== 'page' && name !== 'cursor')
  return formatParameters([...others, ['page', String(page)], ...(cursor === undefined ? [] : [['cursor', cursor] as const])])
}

/** Returns URL parameters without credentials, sorted by name and percent-encoded. */
export function formatParameters(parameters: Iterable<readonly [string, string]>): string {
  return [...parameters]
    .filter(([name]) => !isCredentialParameter(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join('&')
}

/** Returns the path with its parameters as `formatParameters` writes them. */
export function withParameters(path: string, parameters: Iterable<readonly [string, string]>): string {
  const queryString = formatParameters(parameters)
  return queryString === '' ? path : `${path}?${queryString}`
}

function percentEncode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export const queryParameters = ({ url }: { readonly url: string }): URLSearchParams =>
  new URLSearchParams(/^[^?#]*(\?[^#]*)/.exec(url)?.[1])

/** A blank parameter counts as not given. */
export const hasParameter = (parameters: URLSearchParams, name: string): boolean => (parameters.get(name) ?? '').trim() !== ''

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
      examples: [encodeCursor({ page: 2, listHash: hashList({}), key: '2026-01-31T12:00:00.000Z', id: 4711 })],
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
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 16)
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
