import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { Count, Timestamp, type Queryable, type Sql, sql, type Transaction, prepared, type Database } from '../database/database.ts'
import { problems, type ValidationErrors } from '../errors/problems.ts'
import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
import { idempotent, storedResult } from '../http/idempotency/idempotency.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { schemaErrors } from '../http/validation/validation.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { countLinks } from './links.ts'
import { plainText } from './plain-text.ts'
import { hasBlockedWords } from './words.ts'

/** Reasons are stored with the item and shown to moderators only. */
export const reasons = [
  'words',
  'links',
  'links-of-a-new-account',
  'repeated',
  'organization',
  'said-to-be-offensive',
  'flagged',
] as const
export type Reason = (typeof reasons)[number]

export interface Submission {
  readonly texts: readonly string[]
  readonly locale: string
  readonly authorCreatedAt: Date
  readonly now: Date
  /** Earlier identical texts by the author within the last hour. */
  readonly duplicateCount: number
  readonly organizationReviewsAll: boolean
  readonly isMarkedOffensive?: boolean
}

/** Texts with more links are likely advertising. */
export const LINKS_MAX = 2
const NEW_ACCOUNT_MS = 24 * 60 * 60 * 1000
const DUPLICATES_MAX = 2
export const DUPLICATE_WINDOW_S = 3_600

/** A submission without reasons is published. */
export function findReviewReasons(submission: Submission): Reason[] {
  const { locale, authorCreatedAt, now } = submission
  const texts = submission.texts.map(plainText)
  const linkCount = texts.reduce((count, text) => count + countLinks(text), 0)
  const isNew = now.getTime() - authorCreatedAt.getTime() < NEW_ACCOUNT_MS
  const conditions: readonly (readonly [Reason, boolean])[] = [
    ['words', texts.some((text) => hasBlockedWords(text, locale))],
    ['links', linkCount > LINKS_MAX],
    ['links-of-a-new-account', isNew && linkCount > 0],
    ['repeated', submission.duplicateCount >= DUPLICATES_MAX],
    ['organization', submission.organizationReviewsAll],
    ['said-to-be-offensive', submission.isMarkedOffensive ?? false],
  ]
  return conditions.filter(([, applies]) => applies).map(([reason]) => reason)
}

const Author = Type.Object({
  created_at: Timestamp,
  locale: Type.String(),
  /** The count includes held and rejected texts of the last hour. */
  duplicate_count: Count,
})
export type Author = Static<typeof Author>

/** Every change of the user, a new text too, increments `revision`. */
const UnlockedAuthor = Type.Object({ ...Author.properties, revision: Count })
type UnlockedAuthor = Static<typeof UnlockedAuthor>

interface AuthorText {
  readonly id: number
  readonly text: string
  readonly now: Date
}

/**
 * Locks the author and counts the same texts of the last hour, so that each of several identical texts counts the previous ones.
 * @param earlierTexts a SELECT of `created_at` and `text` of the earlier texts of user `u`
 * @throws Problem 401 if the account was deleted meanwhile
 */
export async function lockAuthorAndCountDuplicates(
  tx: Transaction,
  { id, text, now }: AuthorText,
  earlierTexts: Sql,
): Promise<Author> {
  await lockUser(tx, id)
  return findAuthorAndCountDuplicates(tx, { id, text, now }, earlierTexts)
}

/** Returns the same as `lockAuthorAndCountDuplicates` without a lock. Compare `revision` when you write. */
export async function findAuthorAndCountDuplicates(
  db: Queryable,
  { id, text, now }: AuthorText,
  earlierTexts: Sql,
): Promise<UnlockedAuthor> {
  const [author] = await db.query(
    prepared(sql.type(UnlockedAuthor)`
    SELECT u.created_at, u.locale, u.revision, (
      SELECT count(*)::integer FROM (${earlierTexts}) e
      WHERE e.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${DUPLICATE_WINDOW_S})
        AND comparable_text(e.text) = comparable_text(${text})) AS duplicate_count
    FROM users u WHERE u.id = ${id}`),
  )
  if (!author) throw problems.loginNeeded()
  return author
}

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
