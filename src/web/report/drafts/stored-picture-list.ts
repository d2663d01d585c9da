import type { Texts } from '../../../locales/texts.ts'
import type { FormValues } from '../../../html/form-input.ts'
import type { Links } from '../../../html/links.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import type { Draft } from '../../../reporting/drafts/draft-queries.ts'
import { draftPicturePath } from './draft-picture.ts'
import { readRemovedPictures, REMOVED_PICTURES } from './stored-pictures.ts'

interface StoredPictures {
  readonly draft: Draft
  readonly primaryKey: string
  readonly values: FormValues
  readonly texts: Texts
}

const PICTURE_PIXELS = 100

/** The pictures with which a draft answers a question, each with a box that removes it; '' without any. The script of the form counts the boxes. */
export function storedPictureList({ draft, primaryKey, values, texts }: StoredPictures, { to }: Links): SafeHtml | string {
  const removed = readRemovedPictures(values)
  const items = draft.images.flatMap(({ id, primary_key }, index) => {
    if (primary_key !== primaryKey) return []
    const number = index + 1
    const checked = removed.includes(String(id)) ? html` checked` : ''
    return [
      html`<li><img src="${to(draftPicturePath(number))}" width="${PICTURE_PIXELS}" height="${PICTURE_PIXELS}" alt="${texts('draft.picture', { number })}">
        <label class="choice"><input type="checkbox" name="${REMOVED_PICTURES}[]" value="${id}" data-remove-stored${checked}> <span>${texts('draft.removePicture', { number })}</span></label></li>`,
    ]
  })
  if (items.length === 0) return ''
  return html`<fieldset class="field">
    <legend>${texts('draft.storedPictures')}</legend>
    <p class="quiet">${primaryKey === 'issue_image' ? texts('draft.storedPicturesStay') : texts('draft.storedPictureStays')}</p>
    <ul class="photo-list">${items}</ul>
  </fieldset>`
}
