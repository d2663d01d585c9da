import Type, { type TSchema } from 'typebox'

import { type Sql, sql } from '../../database/database.ts'
import { ADDRESS_MAX } from '../request/normalize-url.ts'
import { problems } from '../../errors/problems.ts'
import { nullable, urlLike } from '../schema/fields.ts'
import { apiPrefix, type Urls } from '../request/urls.ts'

/*
 * The recipe of a list: spread `PageQuery` into its query schema, answer with `PageMetadata`, take `pageOf(query)` for the page that
 * was really meant, `limitOf(page)` in the SQL, count all rows exactly, and give `metadataOf(...)`.
 */

export const perPageDefault = 20
export const perPageMax = 100
/** JSON has no larger integers that every client reads alike, and no list is that long: a page beyond it counts as this one. */
export const pageMax = Number.MAX_SAFE_INTEGER

export const PageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      default: 1,
      description: 'Page; below 1 counts as 1. A page past the end is empty.',
      examples: [1],
      'x-allowed': 'an integer',
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      default: perPageDefault,
      description: `Rows of a page, at most ${perPageMax}; below 1 counts as 1, above the most as the most.`,
      examples: [20],
      'x-allowed': 'an integer',
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

/** The answer of a list under its plural name: `listOf('issues', Issue)`. */
export function listOf<const Name extends string, Item extends TSchema>(name: Name, item: Item) {
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

export function pageOf(query: { page?: number; per_page?: number }, max = perPageMax): Page {
  return {
    page: Math.min(Math.max(query.page ?? 1, 1), pageMax),
    perPage: Math.min(Math.max(query.per_page ?? perPageDefault, 1), max),
  }
}

export function limitOf({ page, perPage }: Page): Sql {
  return sql`LIMIT ${perPage}::integer OFFSET ${(page - 1) * perPage}::bigint`
}

/** Parameters that say who asks: they go into no URL that the service writes. */
const credentialParameters = new Set(['access_token'])

/**
 * @param path relative to /api/v2, such as '/issues'
 * @throws Problem 422 where the addresses of the neighbouring pages would be longer than we accept
 * @param given the raw parameters of the request, all kept in the addresses of the neighbouring pages, sorted by name
 */
export function metadataOf(urls: Urls, path: string, given: URLSearchParams, page: Page, entries: number, next?: NextPage) {
  return { pagination: paginationOf(urls, `${apiPrefix}${path}`, given, page, entries, next) }
}

/** What a list that gives cursors (cursor.ts) knows of the page after this one. */
export interface NextPage {
  /** Whether there is one, whatever the total says. */
  readonly hasNext: boolean
  /** Where it begins; absent where its number alone says it. */
  readonly cursor?: string | undefined
}

/** The same at any address of ours. */
export function paginationOf(
  urls: Urls,
  path: string,
  given: URLSearchParams,
  { page, perPage }: Page,
  entries: number,
  { hasNext, cursor }: Partial<NextPage> = {},
) {
  const pages = Math.ceil(entries / perPage)
  const next = (hasNext ?? page < pages) ? page + 1 : null
  const previous = page > 1 && pages > 0 ? Math.min(page - 1, pages) : null
  const urlOf = (number: number | null, at?: string) =>
    number === null ? null : `${urls.root}${path}?${pageParameters(given, number, at)}`
  refuseTooLong(urls, urlOf(Math.max(pages, next ?? 0)) ?? '')
  const following = urlOf(next, cursor)
  return {
    entries,
    page,
    per_page: perPage,
    pages,
    next_page: next,
    // Without its cursor the page is found by its number, where the address has no room for both.
    next_page_url: following !== null && isTooLong(urls, following) ? urlOf(next) : following,
    previous_page: previous,
    previous_page_url: urlOf(previous),
  }
}

/** What was written plainly may become three times as long when percent-encoded: no address is given that we would refuse ourselves. */
function refuseTooLong(urls: Urls, url: string): void {
  if (!isTooLong(urls, url)) return
  throw problems.invalid({
    base: `the parameters are too long: percent-encoded, the addresses of further pages would exceed ${ADDRESS_MAX} characters`,
  })
}

const isTooLong = (urls: Urls, url: string) => url.length - new URL(urls.root).origin.length > ADDRESS_MAX

function pageParameters(given: URLSearchParams, page: number, cursor: string | undefined): string {
  const kept = [...given].filter(([name]) => name !== 'page' && name !== 'cursor')
  return writtenParameters([...kept, ['page', String(page)], ...(cursor === undefined ? [] : [['cursor', cursor] as const])])
}

/** Parameters as we write them into addresses: without credentials, sorted by name, percent-encoded. */
export function writtenParameters(given: Iterable<readonly [string, string]>): string {
  return [...given]
    .filter(([name]) => !credentialParameters.has(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .join('&')
}

/** RFC 3986: everything but letters, digits and -._~ is encoded, also what encodeURIComponent leaves. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The query of a request as it was written, up to a `#`. */
export const parametersOf = ({ url }: { readonly url: string }): URLSearchParams =>
  new URLSearchParams(/^[^?#]*(\?[^#]*)/.exec(url)?.[1])
