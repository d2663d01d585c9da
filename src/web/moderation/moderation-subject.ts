import { hash } from 'node:crypto'
import type { Texts } from '../../locales/texts.ts'
import type {
  ModeratedAnswer,
  ModeratedComment,
  ModeratedIssue,
  ModeratedQuestion,
  ModeratedUser,
  ModerationItem,
} from '../../moderation/schema.ts'
import { editableFields } from '../../moderation/subject-texts.ts'
import { truncate } from '../../html/format.ts'
import { isDefaultAvatar, userName } from '../../users/present.ts'

interface SubjectText {
  readonly field: string
  readonly text: string
}

/** These return undefined for a deleted subject or another type. */
export const issueSubject = subjectOf<ModeratedIssue>('issue')
export const commentSubject = subjectOf<ModeratedComment>('comment')
export const questionSubject = subjectOf<ModeratedQuestion>('question')
export const answerSubject = subjectOf<ModeratedAnswer>('answer')
export const userSubject = subjectOf<ModeratedUser>('user')

function subjectOf<Subject>(type: ModerationItem['subject_type']) {
  return ({ subject_type, subject }: ModerationItem) => (subject_type === type && subject ? (subject as Subject) : undefined)
}

export function editableTexts(item: ModerationItem): SubjectText[] {
  return editableFields[item.subject_type].flatMap((field) => {
    const text = fieldText(item, field)
    return text === '' ? [] : [{ field, text }]
  })
}

export function fieldText({ subject }: ModerationItem, field: string): string {
  const value = (subject as Readonly<Record<string, unknown>> | null)?.[field]
  return typeof value === 'string' ? value : ''
}

const author = (item: ModerationItem) =>
  issueSubject(item)?.reporter ??
  commentSubject(item)?.commenter ??
  questionSubject(item)?.asker ??
  answerSubject(item)?.answerer ??
  userSubject(item)

export const authorId = (item: ModerationItem): number | undefined => author(item)?.id

export function authorName(item: ModerationItem, texts: Texts): string {
  const user = author(item)
  return user ? userName(user, texts.language) : texts('moderation.unknownAuthor')
}

export const subjectMedia = (item: ModerationItem) => issueSubject(item)?.media ?? commentSubject(item)?.media

export function subjectImage(item: ModerationItem): { readonly full: string; readonly small: string } | undefined {
  const avatar = userSubject(item)?.avatar
  if (avatar) return isDefaultAvatar(avatar.full) ? undefined : { full: avatar.full, small: avatar.square_100x100 }
  const media = subjectMedia(item)
  if (!media?.image_full) return undefined
  return { full: media.image_full, small: media.image_square_100x100 ?? media.image_full }
}

/** Returns the URLs of all pictures of a report, or of the one of a comment or a user. */
export function subjectImages(item: ModerationItem): readonly string[] {
  const full = commentSubject(item)?.media.image_full
  if (full) return [full]
  return issueSubject(item)?.media.images ?? (userSubject(item) ? [subjectImage(item)?.full ?? []].flat() : [])
}

export const subjectPlace = (item: ModerationItem) => questionSubject(item)?.place ?? answerSubject(item)?.question?.place

export const TEXT_MAX = 300

/** Returns the beginning of the text, or for example "this report". */
export function itemName(item: ModerationItem, texts: Texts): string {
  const [first] = editableTexts(item)
  if (first) return truncate(first.text, TEXT_MAX)
  return item.subject ? texts(`moderation.subjects.${item.subject_type}.this`) : texts('moderation.deleted')
}

/** Returns the id and a hash of what the list shows, so that a decision on several items finds those that changed. */
export function itemChoice(item: ModerationItem): string {
  const shown = [...(item.reasons ?? []), ...editableTexts(item).map(({ text }) => text), ...subjectImages(item)]
  return `${item.id}-${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 16)}`
}

/** A moderator may approve from the list only if the card shows the whole item. */
export function isFullyShown(item: ModerationItem): boolean {
  const answers = issueSubject(item)?.questions ?? []
  const isShort = editableTexts(item).every(({ text }) => text.length <= TEXT_MAX)
  return isShort && answers.length === 0 && !subjectImage(item) && item.subject !== null && !subjectMedia(item)?.video_url
}
