import Type, { type TSchema } from 'typebox'

import { urlLike } from '../schema/fields.ts'
import { LICENCE_NAME, LICENCE_URL } from './licence.ts'

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
