import type { Language } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import { otherRequestTypeIn } from '../../request-types/other.ts'
import { findOtherTypeAt, findRequestType } from '../../request-types/queries.ts'
import type { RequestType } from '../../request-types/schema.ts'
import type { ReportProgress } from './report-input.ts'

/** Returns the chosen request type, or undefined if none is chosen or it is no longer available. */
export async function findReportedType(
  db: Queryable,
  { point, requestType }: ReportProgress,
  language: Language,
): Promise<RequestType | undefined> {
  const id = requestType === 'other' ? point && (await findOtherTypeAt(db, point)) : requestType
  if (id === undefined) return requestType === 'other' ? otherRequestTypeIn(language) : undefined
  return findRequestType(db, id, language)
}
