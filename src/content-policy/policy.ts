import { countLinks } from './links.ts'
import { plainText } from './plain-text.ts'
import { hasBlockedWords } from './words.ts'

/** Why something is held; kept with what is held and told to moderators alone. */
export type Reason = 'words' | 'links' | 'links-of-a-new-account' | 'repeated' | 'organization' | 'said-to-be-offensive' | 'flagged'

/** What somebody wants to publish, and what the policy has to know of them. */
export interface Submission {
  /** Every text of it that everybody could read. */
  readonly texts: readonly string[]
  /** Its language: a tag of BCP 47. */
  readonly locale: string
  readonly authorSince: Date
  readonly now: Date
  /** How often the author sent the identical whole text within the last hour, this one not counted. */
  readonly sameBefore: number
  /** The organisation that it goes to wants to look at everything. */
  readonly organizationHolds: boolean
  /** The author answered so themselves, where the form asks. */
  readonly saidToBeOffensive?: boolean
}

/** Three and more are advertising. */
export const LINKS_MAX = 2
const NEW_ACCOUNT_MS = 24 * 60 * 60 * 1000
const SAME_MAX = 2
/** For how long an identical text counts, in seconds. */
export const SAME_WITHIN_S = 3_600

/** The policy that decides at once; none of these reasons means that it passes. An ordinary text does, a new account's too. */
export function reasonsToHold(submission: Submission): Reason[] {
  const { locale, authorSince, now } = submission
  const texts = submission.texts.map(plainText)
  const linkCount = texts.reduce((count, text) => count + countLinks(text), 0)
  const isNew = now.getTime() - authorSince.getTime() < NEW_ACCOUNT_MS
  const reasons: readonly (readonly [Reason, boolean])[] = [
    ['words', texts.some((text) => hasBlockedWords(text, locale))],
    ['links', linkCount > LINKS_MAX],
    ['links-of-a-new-account', isNew && linkCount > 0],
    ['repeated', submission.sameBefore >= SAME_MAX],
    ['organization', submission.organizationHolds],
    ['said-to-be-offensive', submission.saidToBeOffensive ?? false],
  ]
  return reasons.filter(([, applies]) => applies).map(([reason]) => reason)
}
