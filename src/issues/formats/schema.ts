import Type from 'typebox'

import { text } from '../../locales/texts.ts'
import { featurePage } from '../../http/formats/feature-collection.ts'
import { IssueFeature } from '../records/schema.ts'
import { problems, type ValidationErrors } from '../../errors/problems.ts'

/** JSON schemas cannot describe XML and CSV, so the API reference shows examples. */
const example = (text: string) => Type.String({ examples: [text] })

/** The contents of a list in addition to JSON, by media type. */
export const pageContents = {
  'application/geo+json': { schema: featurePage(IssueFeature, 'IssueFeaturePage') },
  'application/atom+xml': {
    schema: example(
      '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">…</feed>',
    ),
  },
  'application/rss+xml': {
    schema: example(
      '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:georss="http://www.georss.org/georss">…</rss>',
    ),
  },
  'text/csv': {
    schema: example(
      'id,status,summary,…,lng,lat,licence,attribution\r\n4711,Open,Pothole at the crossing,…,-104.9903,39.7392,…\r\n',
    ),
  },
} as const

/** @throws Problem 422 for parameters that select parts of the JSON response, which no other content type has */
export function refuseJsonParameters(query: { readonly details?: boolean; readonly 'fields[issue]'?: unknown }): void {
  const errors: ValidationErrors = {
    ...(query.details ? { details: text('only_in_json') } : {}),
    ...(query['fields[issue]'] === undefined ? {} : { 'fields[issue]': text('only_in_json') }),
  }
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
}
