import type {
  ModeratedAnswer,
  ModeratedComment,
  ModeratedIssue,
  ModeratedQuestion,
  ModerationItem,
} from '../../moderation/schema.ts'
import { editableFields } from '../../moderation/subject-texts.ts'

export interface SubjectText {
  readonly field: string
  readonly text: string
}

/** By its type; undefined of what is gone. The API gives the subject that the type says. */
export const issueSubject = ({ subject_type, subject }: ModerationItem): ModeratedIssue | undefined =>
  subject_type === 'issue' && subject ? (subject as ModeratedIssue) : undefined
export const commentSubject = ({ subject_type, subject }: ModerationItem): ModeratedComment | undefined =>
  subject_type === 'comment' && subject ? (subject as ModeratedComment) : undefined
export const questionSubject = ({ subject_type, subject }: ModerationItem): ModeratedQuestion | undefined =>
  subject_type === 'question' && subject ? (subject as ModeratedQuestion) : undefined
export const answerSubject = ({ subject_type, subject }: ModerationItem): ModeratedAnswer | undefined =>
  subject_type === 'answer' && subject ? (subject as ModeratedAnswer) : undefined

/** At the beginning of a line. */
export const subjectNames = { issue: 'Report', comment: 'Comment', question: 'Question', answer: 'Answer' } as const

/** The texts that may be edited as they stand, those that are empty left out. */
export function editableTexts(item: ModerationItem): SubjectText[] {
  return editableFields[item.subject_type].flatMap((field) => {
    const text = fieldText(item, field)
    return text === '' ? [] : [{ field, text }]
  })
}

/** Empty where there is none. */
export function fieldText({ subject }: ModerationItem, field: string): string {
  const value = (subject as Readonly<Record<string, unknown>> | null)?.[field]
  return typeof value === 'string' ? value : ''
}

export function authorName(item: ModerationItem): string {
  const author =
    issueSubject(item)?.reporter ?? commentSubject(item)?.commenter ?? questionSubject(item)?.asker ?? answerSubject(item)?.answerer
  return author?.name ?? 'somebody'
}

export function subjectTitle(item: ModerationItem): string {
  return item.subject ? `this ${subjectNames[item.subject_type].toLowerCase()}` : 'Something that is gone'
}

/** Of an issue or a comment. */
export const subjectMedia = (item: ModerationItem) => issueSubject(item)?.media ?? commentSubject(item)?.media

export function subjectPicture(item: ModerationItem): { readonly full: string; readonly small: string } | undefined {
  const media = subjectMedia(item)
  if (!media?.image_full) return undefined
  return { full: media.image_full, small: media.image_square_100x100 ?? media.image_full }
}

/** Where it stands, for whoever decides: the city of a question. */
export const subjectPlace = (item: ModerationItem) => questionSubject(item)?.place ?? answerSubject(item)?.question?.place
