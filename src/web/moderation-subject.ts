import type { ModeratedComment, ModeratedIssue, ModerationItem } from '../moderation/schema.ts'
import { editableFields } from '../moderation/subject-texts.ts'

export interface SubjectText {
  readonly field: string
  readonly text: string
}

const isIssue = (subject: NonNullable<ModerationItem['subject']>): subject is ModeratedIssue => 'summary' in subject

export function issueOf({ subject }: ModerationItem): ModeratedIssue | undefined {
  return subject && isIssue(subject) ? subject : undefined
}

export function commentOf({ subject }: ModerationItem): ModeratedComment | undefined {
  return subject && !isIssue(subject) ? subject : undefined
}

/** The texts that may be edited as they stand, those that are empty left out. */
export function textsOf(item: ModerationItem): SubjectText[] {
  return editableFields[item.subject_type].flatMap((field) => {
    const text = textOf(item, field)
    return text === '' ? [] : [{ field, text }]
  })
}

/** Empty where there is none. */
export function textOf({ subject }: ModerationItem, field: string): string {
  const value = (subject as Readonly<Record<string, unknown>> | null)?.[field]
  return typeof value === 'string' ? value : ''
}

export function authorOf(item: ModerationItem): string {
  return issueOf(item)?.reporter.name ?? commentOf(item)?.commenter.name ?? 'somebody'
}

export function titleOf(item: ModerationItem): string {
  if (!item.subject) return 'Something that is gone'
  return item.subject_type === 'issue' ? 'this report' : 'this comment'
}

export function pictureOf(item: ModerationItem): { readonly full: string; readonly small: string } | undefined {
  const media = item.subject?.media
  if (!media?.image_full) return undefined
  return { full: media.image_full, small: media.image_square_100x100 ?? media.image_full }
}
