import type { FastifyRequest } from 'fastify'

import type { Database, Sql, Transaction } from '../database/database.ts'
import { problems, type ValidationErrors } from '../errors/problems.ts'
import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
import { idempotent, storedResult } from '../http/idempotency/idempotent.ts'
import { preferredLocale } from '../http/request/locale.ts'
import { schemaErrors } from '../http/validation/validation.ts'
import { lockAuthorAndCountDuplicates } from './author-queries.ts'
import { findReviewReasons, type Reason } from './policy.ts'

export type CreatedText = { readonly id: number; readonly isHeld: boolean }

/** A question or an answer as a route or a form gets it. Its schema errors are thrown after it is known that its subject exists. */
export interface TextRequest {
  readonly body: unknown
  readonly inputErrors: ValidationErrors
  readonly author: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** The result of an earlier request with the same Idempotency-Key. */
  readonly stored: CreatedText | undefined
  readonly inTransaction: (work: (tx: Transaction) => Promise<CreatedText>) => Promise<CreatedText>
}

export const textRequest = (request: FastifyRequest, db: Pick<Database, 'transaction'>): TextRequest => ({
  body: request.body,
  inputErrors: { ...schemaErrors(request), ...request.invalidCharacters },
  author: requireViewer(request),
  locale: preferredLocale(request),
  requestId: request.id,
  stored: storedResult<CreatedText>(request),
  inTransaction: (work) => idempotent(request, db, work),
})

/** Returns the text of a field, and the locale that the body or the client names. @throws Problem 422 `{errors}` with all errors */
export function readTextField({ body, inputErrors, locale }: TextRequest, name: string) {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  const value = fields[name]
  if (Object.keys(inputErrors).length > 0 || typeof value !== 'string') throw problems.invalidErrors(inputErrors)
  return { text: value.trim(), locale: typeof fields['locale'] === 'string' ? fields['locale'] : locale }
}

interface AuthoredText {
  readonly author: Pick<Viewer, 'id'>
  readonly text: string
  readonly locale: string | undefined
  readonly now: Date
}

/** Locks the author, and returns the locale of the text and the reasons for which it is held. @param earlierTexts as `lockAuthorAndCountDuplicates` */
export async function reviewText(
  tx: Transaction,
  { author: { id }, text, locale, now }: AuthoredText,
  earlierTexts: Sql,
): Promise<{ readonly locale: string; readonly reasons: readonly Reason[] }> {
  const author = await lockAuthorAndCountDuplicates(tx, { id, text, now }, earlierTexts)
  const written = { texts: [text], locale: locale ?? author.locale, now }
  const reasons = findReviewReasons({
    ...written,
    authorCreatedAt: new Date(author.created_at),
    duplicateCount: author.duplicate_count,
    organizationReviewsAll: false,
  })
  return { locale: written.locale, reasons }
}
