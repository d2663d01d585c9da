import { text } from '../../../locales/texts.ts'
import { problems } from '../../../errors/problems.ts'
import { type FormValues, toFormValues } from '../../../html/form-input.ts'
import { Upload } from '../../../http/request/upload.ts'
import { ISSUE_IMAGES_MAX } from '../../../issues/schema.ts'
import type { Draft } from '../../../reporting/drafts/draft-queries.ts'

/** The only question that takes several pictures. */
const SEVERAL = 'issue_image'

/** The field of the form with the ids of the pictures that its sender removes. */
export const REMOVED_PICTURES = 'removed_pictures'

export const readRemovedPictures = (values: FormValues): readonly unknown[] => [values[REMOVED_PICTURES]].flat()

/**
 * Returns the draft with the pictures that stay: those that the form does not remove. A new file replaces that of a question with one file.
 * @throws Problem 422 if they are too many with the new ones
 */
export function withRemainingPictures(draft: Draft, values: FormValues): Draft {
  const removed = readRemovedPictures(values)
  const countNew = (key: string) => [toFormValues(values['answers'])[key]].flat().filter((file) => file instanceof Upload).length
  const images = draft.images.filter(
    ({ id, primary_key }) => !removed.includes(String(id)) && (primary_key === SEVERAL || countNew(primary_key) === 0),
  )
  const count = images.filter(({ primary_key }) => primary_key === SEVERAL).length + countNew(SEVERAL)
  if (count > ISSUE_IMAGES_MAX) throw problems.invalidErrors({ [SEVERAL]: [text('too_many_pictures', { max: ISSUE_IMAGES_MAX })] })
  return { ...draft, images }
}
