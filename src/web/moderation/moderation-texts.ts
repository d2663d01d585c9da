import type { ItemRow, ItemState } from '../../moderation/item-queries.ts'
import type { Reason } from '../../content-policy/policy.ts'

export const reasonTexts: Readonly<Record<Reason, string>> = {
  words: 'It contains words that require a review',
  links: 'It contains many links',
  'links-of-a-new-account': 'It contains links, and the author’s account is less than a day old',
  repeated: 'The author sent the same text several times',
  organization: 'The organisation reviews all content',
  'said-to-be-offensive': 'The author marked it as offensive',
  flagged: 'Users flagged it: it stays public until it is rejected',
}

export const stateTexts: Readonly<Record<ItemState, string>> = {
  held: 'Pending review',
  approved: 'Approved',
  rejected: 'Rejected',
}

export const transitionTexts: Readonly<Record<NonNullable<ItemRow['requested_transition']>, string>> = {
  open: 'open the issue again',
  close: 'close the issue',
  acknowledge: 'acknowledge the issue',
}

export const fieldLabels: Readonly<Record<string, string>> = {
  summary: 'Summary',
  description: 'Description',
  address: 'Address',
  comment: 'Comment',
  question: 'Question',
  answer: 'Answer',
}
