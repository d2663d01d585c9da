import Type, { type Static } from 'typebox'

import { wholeCollection } from '../gis/downloads/schema.ts'
import { featurePage } from '../http/formats/feature-collection.ts'
import { PageMetadata } from '../http/lists/pagination.ts'
import { IssueFeature } from '../issues/records/schema.ts'

const page = featurePage(IssueFeature, 'IssuePage').properties
const whole = wholeCollection(IssueFeature, 'AllIssues').properties

/** A page has `links` and `metadata`; a whole download has `name`, `licence` and `attribution` instead. */
export const IssueFeatures = Type.Object(
  {
    type: page.type,
    title: whole.title,
    numberMatched: page.numberMatched,
    numberReturned: Type.Integer({ description: 'The number of features here.', examples: [1] }),
    metadata: Type.Optional(PageMetadata),
    links: Type.Optional(page.links),
    name: Type.Optional(whole.name),
    licence: Type.Optional(whole.licence),
    attribution: Type.Optional(whole.attribution),
    features: page.features,
  },
  { title: 'IssueFeatures' },
)
export type IssueFeatures = Static<typeof IssueFeatures>

/** A JSON schema cannot describe an Atom document, so the API reference shows an example. */
export const AtomFeed = Type.String({
  examples: [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">…</feed>',
  ],
})
