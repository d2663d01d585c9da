import type { ItemRow, ItemState } from '../../moderation/item-queries.ts'
import type { Reason } from '../../content-policy/policy.ts'

export const reasonTexts: Readonly<Record<Reason, string>> = {
  words: 'It has words that are not published unseen',
  links: 'It has many links',
  'links-of-a-new-account': 'It has links, and its author’s account is younger than a day',
  repeated: 'Its author sent the same text again and again',
  organization: 'Its organisation looks at everything',
  'said-to-be-offensive': 'Its author says that it is offensive',
  flagged: 'People flagged it: everybody sees it until it is rejected',
}

export const stateTexts: Readonly<Record<ItemState, string>> = { held: 'Waiting', approved: 'Approved', rejected: 'Rejected' }

export const transitionTexts: Readonly<Record<NonNullable<ItemRow['requested_move']>, string>> = {
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
