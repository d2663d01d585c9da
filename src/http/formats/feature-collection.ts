import Type, { type TSchema } from 'typebox'

import type { Urls } from '../request/urls.ts'
import { urlLike } from '../schema/fields.ts'

/** The licence of the data, which every file and feed names. */
export const LICENCE_NAME = 'CC BY-NC-SA 3.0 US'
export const LICENCE_URL = 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/'
export const licenceText = `${LICENCE_NAME}, ${LICENCE_URL}`

/** The value of a Link header (RFC 8288). */
export const LICENCE_LINK = `<${LICENCE_URL}>; rel="license"`

/** The values of a Link header that name the licence of a file and its author, for formats without metadata. */
export const creditLinks = (urls: Urls): string => `${LICENCE_LINK}, <${urls.at('/')}>; rel="author"; title="Fixpoint"`

export const attributionText = (urls: Urls): string => `Fixpoint, ${urls.at('/')}`

const CollectionLink = Type.Object(
  {
    rel: Type.String({ description: '`self`, `next`, `prev` or `license`.', examples: ['next'] }),
    type: Type.String({ examples: ['application/geo+json'] }),
    title: Type.Optional(Type.String({ examples: ['The next page'] })),
    href: urlLike('/api/v2/issues?page=2&place_url=denver'),
  },
  { title: 'FeatureLink' },
)

/** Returns the schema of a page of features (RFC 7946), with the members that OGC API Features adds. */
export const featurePage = <Feature extends TSchema>(feature: Feature, title: string) =>
  Type.Object(
    {
      type: Type.Unsafe<'FeatureCollection'>({ type: 'string', const: 'FeatureCollection' }),
      numberMatched: Type.Integer({ description: 'The exact number of features over all pages.', examples: [57] }),
      numberReturned: Type.Integer({ description: 'The number of features of this page.', examples: [1] }),
      links: Type.Array(CollectionLink),
      features: Type.Array(feature),
    },
    { title },
  )

interface Pagination {
  readonly entries: number
  readonly next_page_url: string | null
  readonly previous_page_url: string | null
}

/** @param self the URL of this page */
export function toFeaturePage<Feature>(features: readonly Feature[], self: string, pagination: Pagination) {
  const { entries, next_page_url: next, previous_page_url: previous } = pagination
  const page = (rel: string, href: string | null) => (href === null ? [] : [{ rel, type: 'application/geo+json', href }])
  return {
    type: 'FeatureCollection' as const,
    numberMatched: entries,
    numberReturned: features.length,
    links: [
      ...page('self', self),
      ...page('next', next),
      ...page('prev', previous),
      { rel: 'license', type: 'text/html', title: LICENCE_NAME, href: LICENCE_URL },
    ],
    features: [...features],
  }
}
