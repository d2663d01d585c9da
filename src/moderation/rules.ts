import { LinkifyIt } from 'linkify-it'

import { hasBlockedWords } from './words.ts'

/** Why something is held; kept with what is held and told to moderators alone. */
export type Reason = 'words' | 'links' | 'links-of-a-new-account' | 'repeated' | 'organization' | 'said-to-be-offensive'

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
const LINKS_MAX = 2
const NEW_ACCOUNT_MS = 24 * 60 * 60 * 1000
const SAME_MAX = 2
/** For how long an identical text counts, in seconds. */
export const SAME_WITHIN_S = 3_600

/** Addresses as people write them, with `https://` or without. "Corner of 5th St.in front of the bank" is none: few endings count there. */
const links = new LinkifyIt({
  fuzzyLink: true,
  fuzzyEmail: false,
  tlds: 'com net org info biz io co app dev shop xyz online site ru cn'.split(' '),
})

/** The policy that decides at once; none of these reasons means that it passes. An ordinary text does, a new account's too. */
export function reasonsToHold(submission: Submission): Reason[] {
  const { texts, locale, authorSince, now } = submission
  const linkCount = texts.reduce((count, text) => count + (links.match(text)?.length ?? 0), 0)
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
