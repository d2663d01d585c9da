import type { SafeHtml } from '../../html/template.ts'
import type { Reason } from '../../content-policy/policy.ts'
import type { SubjectType } from '../../content-policy/subject-types.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import type { ItemState } from '../../moderation/item-queries.ts'

type Link = (text: string) => SafeHtml

export interface SubjectTexts {
  readonly name: string
  readonly review: string
  /** Stands for the text of a subject that has none. */
  readonly this: string
  readonly picture: string
}

export interface ModerationTexts {
  readonly title: string
  readonly description: string
  readonly done: Readonly<Record<'approved' | 'rejected', string>>
  readonly statesLabel: string
  readonly states: Readonly<Record<ItemState, string>>
  /** An ICU message. */
  readonly items: string
  readonly emptyPage: string
  readonly firstPage: string
  readonly empty: Readonly<Record<ItemState, string>>
  readonly seePending: string
  readonly emptyHint: (approved: Link, places: Link) => SafeHtml
  readonly subjects: Readonly<Record<SubjectType, SubjectTexts>>
  readonly deleted: string
  readonly byline: (subject: string, author: string) => string
  readonly bylineInPlace: (subject: string, author: string, place: string) => string
  readonly unknownAuthor: string
  readonly by: (author: string) => string
  readonly decidedBy: (state: SafeHtml, who: string) => SafeHtml
  readonly automaticChecks: string
  readonly checksSay: string
  readonly reviewLong: string
  readonly review: string
  readonly approve: string
  readonly keep: string
  readonly reject: string
  readonly itemDescription: string
  readonly why: string
  readonly reasons: Readonly<Record<Reason, string>>
  readonly requestedMove: (move: SafeHtml) => SafeHtml
  readonly moves: Readonly<Record<TransitionName, string>>
  readonly onIssue: (issue: SafeHtml) => SafeHtml
  readonly toQuestion: (question: SafeHtml) => SafeHtml
  readonly inPlace: (place: SafeHtml) => SafeHtml
  readonly gone: string
  readonly currentVersion: string
  readonly originalVersion: string
  readonly video: string
  readonly openPage: string
  readonly map: string
  readonly rings: (near: string, far: string) => string
  readonly rejectTitle: string
  /** It explains what the rejection of a user does. */
  readonly rejectUserHint: string
  readonly reason: string
  readonly reasonHint: (max: string) => string
  readonly approveTitle: string
  readonly keepTitle: string
  readonly approveHint: string
  readonly keepHint: string
  readonly editHint: string
  readonly fields: Readonly<Record<string, string>>
}
