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

const countNew = (values: FormValues, key: string) =>
  [toFormValues(values['answers'])[key]].flat().filter((file) => file instanceof Upload).length

/** Returns the pictures that the form does not remove. A new file replaces that of a question with one file. */
export function remainingPictures({ images }: Draft, values: FormValues): Draft['images'] {
  const removed = readRemovedPictures(values)
  return images.filter(
    ({ id, primary_key }) => !removed.includes(String(id)) && (primary_key === SEVERAL || countNew(values, primary_key) === 0),
  )
}

/**
 * Returns the draft with the pictures that stay.
 * @throws Problem 422 if they are too many with the new ones
 */
export function withRemainingPictures(draft: Draft, values: FormValues): Draft {
  const images = remainingPictures(draft, values)
  const count = images.filter(({ primary_key }) => primary_key === SEVERAL).length + countNew(values, SEVERAL)
  if (count > ISSUE_IMAGES_MAX) throw problems.invalidErrors({ [SEVERAL]: [text('too_many_pictures', { max: ISSUE_IMAGES_MAX })] })
  return { ...draft, images }
}
