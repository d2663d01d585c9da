import type { Texts } from '../../locales/texts.ts'
import { pictureAttributes } from '../../html/fields.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { ISSUE_IMAGES_MAX } from '../../issues/schema.ts'

/** The pictures at the start of a report. A script shows the section; without it, the form takes the pictures. */
export function startPhotoSection(texts: Texts) {
  return photoSection(texts, {
    data: html` data-place-found="${texts('photo.placeFound')}" data-no-place="${texts('photo.noPlace')}"`,
    usePlace: html`<button class="second" type="button" data-photo-place hidden>${texts('photo.usePlace')}</button>`,
    heading: html`<h2>${texts('photo.heading')}</h2>`,
    hint: html`<p class="quiet">${texts('photo.hint')}</p>`,
  })
}

/** The pictures while the type is chosen. */
export const typePhotoSection = (texts: Texts) => photoSection(texts, { data: '', usePlace: '', heading: '', hint: '' })

type PhotoParts = Readonly<Record<'data' | 'usePlace' | 'heading' | 'hint', SafeHtml | string>>

function photoSection(texts: Texts, { data, usePlace, heading, hint }: PhotoParts) {
  return html`<section class="photos" data-photos aria-label="${texts('photo.heading')}" hidden${data} data-not-stored="${texts('photo.notStoredAtStart')}"${sharedTexts(texts)}>
    ${heading}
    <p class="buttons">
      <span><input class="covered" type="file" id="photo-choose"${pictureAttributes(texts)} multiple><label class="button" for="photo-choose">${texts('photo.choose')}</label></span>
      ${takePhoto(texts)}
    </p>
    <p class="photo-status"><span role="status" data-photo-status></span>
      ${usePlace}</p>
    <ul class="photo-list"></ul>
    ${hint}
  </section>`
}

/** The pictures in the form of a report, after its file field, which a script moves into the section. Without it, the field stays as it is. */
export function formPhotoSection(texts: Texts) {
  return html`<div class="photos" data-photos data-attached="${texts('photo.attached')}" data-not-stored="${texts('photo.notStored')}"${sharedTexts(texts)} hidden>
    <p class="buttons">
      <span data-choose><label class="button">${texts('photo.choose')}</label></span>
      ${takePhoto(texts)}
    </p>
    <p class="photo-status"><span role="status" data-photo-status></span></p>
    <ul class="photo-list"></ul>
  </div>
  <p class="note not-yet-attached">${texts('photo.notYetAttached')}</p>`
}

const sharedTexts = (texts: Texts) =>
  html` data-max="${ISSUE_IMAGES_MAX}" data-remove="${texts('photo.remove')}" data-too-many="${texts('photo.tooMany', { max: ISSUE_IMAGES_MAX })}"`

const takePhoto = (texts: Texts) =>
  html`<span class="for-touch"><input class="covered" type="file" id="photo-take"${pictureAttributes(texts)} capture="environment"><label class="button" for="photo-take">${texts('photo.take')}</label></span>`
