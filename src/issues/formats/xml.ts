import { toXmlText } from '../../http/formats/xml-text.ts'
import type { Issue } from '../schema.ts'

/** Returns the facts that feed readers show in a line below the title. */
export const toFacts = ({ status, request_type, address }: Issue): string =>
  toXmlText([status, request_type.title, address].filter(Boolean).join(' · '))

export const toContent = ({ description, address, summary }: Issue): string =>
  toXmlText([description, address].filter(Boolean).join('\n\n') || summary)

/** Returns both in one text; the facts have the address. */
export const toFactsAndDescription = (issue: Issue): string =>
  [toFacts(issue), toXmlText(issue.description ?? '')].filter(Boolean).join('\n\n')
