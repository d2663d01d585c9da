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
