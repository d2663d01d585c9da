import type { Language } from '../../errors/texts/languages.ts'
import { html } from '../../html/template.ts'
import { ISSUE_IMAGES_MAX } from '../../issues/schema.ts'
import { photoTexts, type PhotoTexts } from './photo-texts.ts'

/** The pictures at the start of a report. A script shows the section; without it, the form takes the pictures. */
export function startPhotoSection(language: Language) {
  const texts = photoTexts[language]
  const { placeFound, noPlace, notStoredAtStart } = texts
  return html`<section class="photos" data-photos aria-labelledby="photos-name" hidden data-place-found="${placeFound}" data-no-place="${noPlace}" data-not-stored="${notStoredAtStart}"${sharedTexts(texts)}>
    <h2 id="photos-name">${texts.heading}</h2>
    <p class="buttons">
      <span><input class="covered" type="file" id="photo-choose" accept="image/*,.heic,.heif" multiple><label class="button" for="photo-choose">${texts.choose}</label></span>
      ${takePhoto(texts)}
    </p>
    <p class="photo-status"><span role="status" data-photo-status></span>
      <button class="second" type="button" data-photo-place hidden>${texts.usePlace}</button></p>
    <ul class="photo-list"></ul>
    <p class="quiet">${texts.hint}</p>
  </section>`
}

/** The pictures in the form of a report, after its file field, which a script moves into the section. Without it, the field stays as it is. */
export function formPhotoSection(language: Language) {
  const texts = photoTexts[language]
  return html`<div class="photos" data-photos data-attached="${texts.attached}" data-not-stored="${texts.notStored}"${sharedTexts(texts)} hidden>
    <p class="buttons">
      <span data-choose><label class="button">${texts.choose}</label></span>
      ${takePhoto(texts)}
    </p>
    <p class="photo-status"><span role="status" data-photo-status></span></p>
    <ul class="photo-list"></ul>
  </div>
  <p class="note not-yet-attached">${texts.notYetAttached}</p>`
}

const sharedTexts = ({ remove, tooMany }: PhotoTexts) =>
  html` data-max="${ISSUE_IMAGES_MAX}" data-remove="${remove}" data-too-many="${tooMany(ISSUE_IMAGES_MAX)}"`

const takePhoto = ({ take }: PhotoTexts) =>
  html`<span class="for-touch"><input class="covered" type="file" id="photo-take" accept="image/*" capture="environment"><label class="button" for="photo-take">${take}</label></span>`
