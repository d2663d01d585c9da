import type { Point } from '../../geo/shapes.ts'
import {
  pictureAttributes,
  choicesField,
  pageError,
  errorSummary,
  type FieldErrors,
  hiddenField,
  inputField,
  selectField,
  textareaField,
} from '../../html/fields.ts'
import { createForm, type FormValues, toFormValues } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { inLanguage, langAttribute } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { ISSUE_IMAGES_MAX } from '../../issues/schema.ts'
import type { Texts, Language } from '../../locales/texts.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import type { RequestType, TranslatedQuestion } from '../../request-types/schema.ts'
import { callerFields, callerSection } from './caller-section.ts'
import { storedPictureList } from './drafts/stored-pictures.ts'
import { FORM_ID } from './drawn-point/drawn-point.ts'
import { DRAFT_FIELD, REPLACED_FIELD } from './keep-draft.ts'
import { answerValues, hasFile, timeZones, estimateTimeZone, chosenTimeZone } from './report-input.ts'

/** A section that a script shows, because only a script stores what is typed. */
function deviceDraftSection(texts: Texts): SafeHtml {
  return html`<div class="note" data-device-draft data-kept="${texts('deviceDraft.kept')}" data-restored="${texts('deviceDraft.restored')}" data-discarded="${texts('deviceDraft.discarded')}" hidden>
        <p role="status">${texts('deviceDraft.kept')}</p>
        <p><button class="second" type="button" data-discard hidden>${texts('deviceDraft.discard')}</button></p>
      </div>`
}

/** The reports that wait on the device, which a script adds to the list. */
export function waitingDraftsSection(texts: Texts): SafeHtml {
  const many = texts('deviceDraft.many', { count: '{count}' })
  return html`<div class="waiting" data-waiting-drafts data-one="${texts('deviceDraft.one')}" data-many="${many}" data-discarded="${texts('deviceDraft.discarded')}" hidden>
        <p role="status" tabindex="-1"></p>
        <ul class="rows"></ul>
        <template><li><p><b></b><br><span></span></p><span class="actions"><a class="button" href="">${texts('deviceDraft.proceed')}</a><button class="plain" type="button">${texts('deviceDraft.discard')}</button></span></li></template>
      </div>`
}

/** The pictures before the form. A script shows the section; without it, the form takes the pictures. At the start, they may have a place. */
export function photoSection(texts: Texts, { isStart }: { readonly isStart: boolean }) {
  const place = html` data-place-found="${texts('photo.placeFound')}" data-no-place="${texts('photo.noPlace')}"`
  return html`<section class="photos" data-photos aria-label="${texts('photo.heading')}" hidden${isStart ? place : ''} data-not-stored="${texts('photo.notStoredAtStart')}"${sharedTexts(texts)}>
    ${isStart ? html`<h2>${texts('photo.heading')}</h2>` : ''}
    <p class="buttons">
      <span><input class="covered" type="file" id="photo-choose"${pictureAttributes(texts)} multiple><label class="button" for="photo-choose">${texts('photo.choose')}</label></span>
      ${takePhoto(texts)}
    </p>
    <p class="photo-status"><span role="status" data-photo-status></span>
      ${isStart ? html`<button class="second" type="button" data-photo-place hidden>${texts('photo.usePlace')}</button>` : ''}</p>
    <ul class="photo-list"></ul>
    ${isStart ? html`<p class="quiet">${texts('photo.hint')}</p>` : ''}
  </section>`
}

/** The pictures in the form of a report, after its file field, which a script moves into the section. Without it, the field stays as it is. */
function formPhotoSection(texts: Texts) {
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

interface ReportForm {
  readonly action: string
  /** Idempotency key: the same form sent twice makes one report. */
  readonly formKey: string
  readonly point: Point
  readonly type: RequestType
  /** Issues that may be the same, before the questions. */
  readonly duplicates: SafeHtml | string
  readonly values: FormValues
  /** The form shows this draft and changes it. */
  readonly draft: Draft | undefined
  /** An anonymous visitor continues with an e-mail address or the login. */
  readonly isLoggedIn: boolean
  /** The form asks for whom an employee reports. */
  readonly mayReportForCaller: boolean
  /** The draft of another report, which this one replaces. */
  readonly replaced: Draft | undefined
  readonly errors: FieldErrors
  readonly now: Date
  readonly texts: Texts
  readonly links: Links
}

export function reportForm(form: ReportForm): SafeHtml {
  const { action, formKey, point, type, duplicates, values, draft, replaced, errors, texts } = form
  const questions = type.questions.map(
    (question) => [question.primary_key, questionLabel(question, texts.language), `answers[${question.primary_key}]`] as const,
  )
  const fields = [...questions, ['address', texts('report.address')] as const, ...callerFields(texts)]
  const lost = lostPictures(form)
  const shared = createForm(texts.language, { values, errors })
  return html`${errorSummary({ ...nameErrors(errors), ...lost }, fields, texts.language)}
    ${duplicates}
    <form method="post" enctype="multipart/form-data" action="${action}" id="${FORM_ID}" data-report data-sending="${texts('upload.sending', { percent: '{percent}' })}" data-not-sent="${texts('upload.notSent')}" data-waits="${texts('outbox.waits')}" data-not-asked="${texts('upload.notAsked')}" data-characters="${texts('report.characters', { count: '{count}', max: '{max}' })}">
      ${deviceDraftSection(texts)}
      ${hiddenField('form_key', formKey)}
      ${draft ? hiddenField(DRAFT_FIELD, String(draft.id)) : ''}
      ${replaced ? hiddenField(REPLACED_FIELD, String(replaced.id)) : ''}
      ${hiddenField('lat', String(point.lat))}
      ${hiddenField('lng', String(point.lng))}
      ${hiddenField('request_type_id', String(type.id ?? 'other'))}
      ${type.questions.map((question) => questionField(question, { ...form, errors: { ...errors, ...lost } }, Object.hasOwn(lost, question.primary_key)))}
      ${shared.input('address', texts('report.address'), { hint: texts('report.addressHint'), maxlength: 500, required: true })}
      ${shared.checkbox('anonymize_reporter', texts('report.anonymous'), { hint: anonymousHint(type, texts) })}
      ${form.mayReportForCaller ? callerSection({ values, errors, texts }) : ''}
      <p><button>${form.isLoggedIn ? texts('report.send') : texts('report.continue')}</button> <span role="status" data-progress></span></p>
      ${form.isLoggedIn ? '' : html`<p class="quiet">${texts('report.emailComesLast')}</p>`}
    </form>`
}

const anonymousHint = (type: RequestType, texts: Texts) =>
  type.organization === null
    ? texts('report.anonymousHint')
    : richText(texts, 'report.anonymousHintStaff', {
        organization: inLanguage(type.organization, type.organization_language, texts.language),
      })

/** Returns an error for each question whose pictures were neither refused nor stored. */
function lostPictures({ type, values, errors, texts }: ReportForm): FieldErrors {
  const answers = toFormValues(values['answers'])
  const lost = type.questions.filter(({ primary_key: key }) => !errors[key] && hasFile(answers[key]))
  return Object.fromEntries(lost.map(({ primary_key }) => [primary_key, pageError(texts, texts('field.choosePictureAgain'))]))
}

/** The point has no field in this step. */
const nameErrors = ({ point, ...errors }: FieldErrors): FieldErrors => (point ? { ...errors, base: point } : errors)

const questionLabel = (question: TranslatedQuestion, language: Language) =>
  inLanguage(question.question, question.language, language)

function questionField(
  question: TranslatedQuestion,
  { point, values, draft, errors, now, texts, links }: ReportForm,
  isChosenAgain: boolean,
): SafeHtml {
  const { primary_key, question_type, response_required: required, answer_kept_private } = question
  const choices = question.select_values?.map((choice) => ({ ...choice, language: question.language })) ?? []
  const answers = answerValues(values, question)
  const field = {
    name: `answers[${primary_key}]`,
    label: questionLabel(question, texts.language),
    hint: answer_kept_private ? texts('report.privateAnswerHint') : undefined,
    value: answers[0],
    required,
    error: errors[primary_key],
    language: texts.language,
  }
  switch (question_type) {
    case 'note':
      return html`<p class="note"${langAttribute(question.language, texts.language)}>${question.question}</p>`
    case 'text':
      return inputField({ ...field, maxlength: 255 })
    case 'textarea':
      return textareaField(field)
    case 'number':
      return inputField({ ...field, type: 'number', inputmode: 'decimal' })
    case 'select':
      return selectField({ ...field, choices })
    case 'multivaluelist':
      return choicesField({ ...field, name: `${field.name}[]`, type: 'checkbox', choices, values: answers })
    case 'boolean':
      return choicesField({ ...field, type: 'radio', choices: yesNo(texts), values: answers })
    case 'file': {
      const multiple = primary_key === 'issue_image'
      const stored = draft ? storedPictureList({ draft, primaryKey: primary_key, values, texts }, links) : ''
      const input = inputField({
        ...field,
        ...(stored === '' ? {} : { required: false, isConditional: required }),
        type: 'file',
        multiple,
        hint: field.hint ?? (multiple ? texts('field.picturesHint', { max: ISSUE_IMAGES_MAX }) : texts('field.pictureHint')),
      })
      // A script that has kept the files removes an error that only asks for them again.
      return html`<div${isChosenAgain ? html` data-chosen-again` : ''}>${stored}${input}${multiple ? formPhotoSection(texts) : ''}</div>`
    }
    case 'datetime':
      return html`<div class="pair">
        ${inputField({ ...field, type: 'datetime-local' })}
        ${selectField({
          name: `zone[${primary_key}]`,
          label: texts('report.timeZone'),
          choices: timeZones.map((zone) => ({ key: zone, name: `UTC${zone}` })),
          value: chosenTimeZone(values, question) || estimateTimeZone(point, now),
          required: true,
          dateTimeField: field.name,
          language: texts.language,
        })}
      </div>`
  }
}

const yesNo = (texts: Texts) => [
  { key: 'true', name: texts('report.yes') },
  { key: 'false', name: texts('report.no') },
]
