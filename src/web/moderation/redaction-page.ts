import { type Language, textsIn } from '../../locales/texts.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { readText, toFormValues, type FormValues } from '../../html/form-input.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { boxFields, BOXES_MAX } from '../../moderation/parse-boxes.ts'
import type { Picture } from '../../moderation/redaction-queries.ts'

export interface RedactionPage {
  readonly picture: Picture
  /** Path of the picture. */
  readonly source: string
  readonly action: string
  /** Path of the page from which the moderator came. */
  readonly back: string
  /** Idempotency key: the same form sent twice redacts once. */
  readonly formKey: string
  readonly values: FormValues
  readonly errors: FieldErrors
  readonly language: Language
}

/** The form works without its script, which draws boxes on the picture and fills in the same fields. */
export function redactionPage({ picture, source, action, back, formKey, values, errors, language }: RedactionPage): HtmlPage {
  const texts = textsIn(language)
  const hasErrors = Object.keys(errors).length > 0
  return {
    title: texts('redaction.title'),
    description: texts('redaction.description'),
    language,
    script: 'redact.js',
    body: html`<h1>${texts('redaction.title')}</h1>
      <p class="text">${texts('redaction.explanation')}</p>
      ${hasErrors ? html`<div class="error-summary" role="alert"><p><b>${texts('redaction.errors')}</b></p>${errorText(errors['boxes'])}</div>` : ''}
      <form method="post" action="${action}" data-redact>
        <input type="hidden" name="form_key" value="${formKey}">
        <p class="quiet" data-drawing hidden>${texts('redaction.drawing')}</p>
        <div class="redaction"><img src="${source}" width="${picture.width}" height="${picture.height}" alt="${texts('redaction.picture')}"></div>
        <p><button type="button" class="second" data-add hidden>${texts('redaction.addBox')}</button></p>
        <fieldset class="boxes"><legend>${texts('redaction.boxes')}</legend>
          <p class="quiet">${texts('redaction.unit')}</p>
          ${boxRows(values, errors, language)}
        </fieldset>
        <p><button>${texts('redaction.submit')}</button></p>
      </form>
      <p><a href="${back}">${texts('redaction.back')}</a></p>`,
  }
}

export interface GonePage {
  /** The page from which the moderator came, if the address names one. */
  readonly issue: string | undefined
  readonly item: string | undefined
  readonly language: Language
}

/** A picture gets another address when it is redacted, by another moderator too. */
export function gonePage({ issue, item, language }: GonePage): HtmlPage {
  const texts = textsIn(language)
  return {
    title: texts('redaction.gone.title'),
    description: texts('redaction.gone.hint'),
    language,
    body: html`<section class="hero"><h1>${texts('redaction.gone.title')}</h1>
      <p>${texts('redaction.gone.hint')}</p>
      ${item ? html`<p><a class="button primary" href="${item}">${texts('redaction.gone.toItem')}</a></p>` : ''}
      ${issue ? html`<p><a class="button primary" href="${issue}">${texts('redaction.gone.toIssue')}</a></p>` : ''}
    </section>`,
  }
}

/** Shows the rows that have a box and an empty one; the others are in a section that opens. */
function boxRows(values: FormValues, errors: FieldErrors, language: Language): SafeHtml {
  const numbers = Array.from({ length: BOXES_MAX }, (_, index) => index + 1)
  const isFilled = (number: number) =>
    errors[`box_${number}`] !== undefined ||
    Object.values(toFormValues(toFormValues(values['boxes'])[String(number)])).some((value) => value !== '')
  const filled = numbers.filter(isFilled)
  const [next, ...others] = numbers.filter((number) => !isFilled(number))
  const row = (number: number) => boxRow(number, values, errors, language)
  return html`${filled.map(row)}${next === undefined ? '' : row(next)}${
    others.length === 0
      ? ''
      : html`<details data-more-boxes><summary>${textsIn(language)('redaction.moreBoxes')}</summary>${others.map(row)}</details>`
  }`
}

function boxRow(number: number, values: FormValues, errors: FieldErrors, language: Language): SafeHtml {
  const texts = textsIn(language)
  const row = toFormValues(toFormValues(values['boxes'])[String(number)])
  const error = errors[`box_${number}`]
  const inputs = boxFields.map(
    (name) => html`<label>${texts(`redaction.fields.${name}`)}
      <input type="number" name="boxes[${number}][${name}]" min="0" max="100" step="any" inputmode="decimal"
        value="${readText(row, name)}"${error ? html` aria-invalid="true" aria-describedby="box-${number}-error"` : ''}></label>`,
  )
  return html`<fieldset data-box="${number}"><legend>${texts('redaction.box', { number })}</legend>
    ${inputs}${error ? html`<div id="box-${number}-error">${errorText(error)}</div>` : ''}</fieldset>`
}

const errorText = (error: FieldErrors[string] | undefined): SafeHtml | string =>
  error ? html`<p class="field-error" lang="${error.language}">${error.texts.join(', ')}</p>` : ''
