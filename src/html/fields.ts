import { type Language, type Texts, textsIn } from '../locales/texts.ts'
import { inLanguage, langAttribute } from './page.ts'
import { UPLOAD_BYTES_MAX } from '../http/request/upload.ts'
import { html, type SafeHtml } from './template.ts'

/** Errors by field name, from `translateErrors`. `base` is shown above the form. */
export type FieldErrors = Readonly<Record<string, FieldError>>

/** The language is marked up if it differs from that of the page (WCAG 3.1.2). */
interface FieldError {
  readonly language: Language
  readonly texts: readonly string[]
}

interface FieldOptions {
  readonly name: string
  /** An id is needed if several fields of the page have the same name. */
  readonly id?: string
  readonly label: string | SafeHtml
  readonly hint?: string | SafeHtml | undefined
  readonly error?: FieldError | undefined
  readonly required?: boolean
  /** True if it depends on other fields whether this one is required, as its hint says: then it is not marked as optional. */
  readonly isConditional?: boolean
  /** Language of the page. */
  readonly language: Language
}

export interface InputField extends FieldOptions {
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'file'
  /** The value that was sent before. Passwords and files are never filled in again. */
  readonly value?: string | undefined
  readonly autocomplete?: string
  readonly inputmode?: 'decimal' | 'text'
  readonly maxlength?: number
  /** Kinds of files other than pictures that the field takes. */
  readonly accept?: string
  /** The field takes several files. */
  readonly multiple?: boolean
  /** A phone opens its camera. */
  readonly isCamera?: boolean
  /** Values that the browser suggests. */
  readonly suggestions?: readonly string[]
}

/** Returns an error in the language of the page. */
export const pageError = ({ language }: Texts, text: string): FieldError => ({ language, texts: [text] })

const fieldId = ({ name, id = name }: Pick<FieldOptions, 'name' | 'id'>) => `field-${id.replaceAll(/[^\w-]+/g, '-')}`

function errorSentence({ texts }: FieldError): string {
  const text = texts.join(', ')
  return text && text[0]?.toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}

function ariaAttributes(field: FieldOptions): SafeHtml {
  const { hint, error, required } = field
  const ids = [...(hint ? [`${fieldId(field)}-hint`] : []), ...(error ? [`${fieldId(field)}-error`] : [])].join(' ')
  return html`${ids ? html` aria-describedby="${ids}"` : ''}${error ? html` aria-invalid="true"` : ''}${required ? html` required` : ''}`
}

function withLabel(field: FieldOptions, control: SafeHtml): SafeHtml {
  return html`<div class="field">
    <label for="${fieldId(field)}">${field.label}${optionalMark(field)}</label>
    ${control}${hintAndError(field)}
  </div>`
}

const optionalMark = ({ required, isConditional, language }: FieldOptions): SafeHtml | string =>
  required || isConditional ? '' : html` <span class="quiet">${textsIn(language)('field.optional')}</span>`

const hintAndError = (field: FieldOptions) => {
  const { hint, error, language } = field
  return html`${
    hint ? html`<p class="quiet" id="${fieldId(field)}-hint">${hint}</p>` : ''
  }${error ? html`<p class="field-error" id="${fieldId(field)}-error"${langAttribute(error.language, language)}>${errorSentence(error)}</p>` : ''}`
}

export function inputField(field: InputField): SafeHtml {
  const { name, type = 'text', value = '', autocomplete, inputmode, maxlength, accept, multiple, suggestions } = field
  const valueAttribute = type === 'password' || type === 'file' ? '' : html` value="${value}"`
  const attributes = [
    autocomplete === undefined ? '' : html` autocomplete="${autocomplete}"`,
    inputmode === undefined ? '' : html` inputmode="${inputmode}"`,
    maxlength === undefined ? '' : html` maxlength="${maxlength}"`,
    type === 'number' ? html` step="any"` : '',
    accept ? html` accept="${accept}"` : type === 'file' ? pictureAttributes(textsIn(field.language)) : '',
    multiple ? html` multiple` : '',
    field.isCamera ? html` capture="environment"` : '',
    suggestions ? html` list="${fieldId(field)}-list"` : '',
  ]
  const input = html`<input id="${fieldId(field)}" name="${name}" type="${type}"${valueAttribute}${attributes}${ariaAttributes(field)}>`
  if (suggestions) {
    const options = suggestions.map((one) => html`<option value="${one}"></option>`)
    return withLabel(field, html`${input}<datalist id="${fieldId(field)}-list">${options}</datalist>`)
  }
  return withLabel(field, type === 'password' ? html`<span class="password">${input}${showButton(field)}</span>` : input)
}

/** The script of a page with a password field; without it, the button that shows the password is hidden. */
export const PASSWORD_SCRIPT = 'show-password.js'

/** The script of a page with an address to copy; without it, the buttons are hidden. */
export const COPY_SCRIPT = 'copy.js'

const showButton = (field: InputField): SafeHtml =>
  html`<button class="second" type="button" hidden data-shows="${fieldId(field)}" aria-label="${textsIn(field.language)('field.showPassword')}: ${field.label}" aria-controls="${fieldId(field)}" aria-pressed="false">${textsIn(field.language)('field.showPassword')}</button>`

/** The attributes of a field for pictures, with the texts of the script that checks them before they are sent. */
export function pictureAttributes(texts: Texts): SafeHtml {
  const name = '{name}'
  return html` accept="image/*,.heic,.heif" data-max-bytes="${UPLOAD_BYTES_MAX}" data-too-large="${texts('field.fileTooLarge', { name })}" data-wrong-kind="${texts('field.fileWrongKind', { name })}"`
}

export interface TextareaField extends FieldOptions {
  readonly value?: string | undefined
  /** The language of the value, if it may be another one than that of the page. */
  readonly valueLanguage?: string
  readonly maxlength?: number
}

export function textareaField(field: TextareaField): SafeHtml {
  const { name, value = '', valueLanguage, maxlength = 10_000 } = field
  return withLabel(
    field,
    html`<textarea id="${fieldId(field)}" name="${name}" rows="4" maxlength="${maxlength}"${ariaAttributes(field)}${langAttribute(valueLanguage || null, field.language)}>
${value}</textarea>`,
  )
}

export interface Choice {
  readonly key: string
  readonly name: string
  /** The language of the name, if it may be another one than that of the page. */
  readonly language?: string
}

export interface SelectField extends FieldOptions {
  readonly choices: readonly Choice[]
  readonly value?: string | undefined
  /** Name of the date and time field that this time zone belongs to. The script reads it. */
  readonly dateTimeField?: string
  /** True if a choice is always selected: then there is no empty option. */
  readonly hasDefault?: true
}

export function selectField(field: SelectField): SafeHtml {
  const { name, choices, value, dateTimeField, hasDefault = dateTimeField !== undefined, language } = field
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.key}"${choice.key === value ? html` selected` : ''}${langAttribute(choice.language, language)}>${choice.name}</option>`,
  )
  const emptyOption = hasDefault ? '' : html`<option value="">${textsIn(language)('field.choose')}</option>`
  const zoneAttribute = dateTimeField === undefined ? '' : html` data-date-time-field="${dateTimeField}"`
  return withLabel(
    field,
    html`<select id="${fieldId(field)}" name="${name}"${zoneAttribute}${ariaAttributes(field)}>${emptyOption}${options}</select>`,
  )
}

export function choicesField(
  field: FieldOptions & {
    readonly type: 'radio' | 'checkbox'
    readonly choices: readonly Choice[]
    readonly values: readonly string[]
  },
): SafeHtml {
  const { name, label, required, type, choices, values, language: page } = field
  // `required` on every checkbox would require all of them.
  const requiredAttribute = required && type === 'radio' ? html` required` : ''
  const boxes = choices.map(
    ({ key, name: text, language }) =>
      html`<label class="choice"><input type="${type}" name="${name}" value="${key}"${
        values.includes(key) ? html` checked` : ''
      }${requiredAttribute}> ${inLanguage(text, language, page)}</label>`,
  )
  return html`<fieldset class="field" id="${fieldId(field)}">
    <legend>${label}${optionalMark(field)}</legend>
    ${boxes}${hintAndError(field)}
  </fieldset>`
}

export interface CheckboxField extends FieldOptions {
  readonly checked: boolean
}

export function checkboxField(field: CheckboxField): SafeHtml {
  return html`<div class="field">
    <label class="choice"><input type="checkbox" name="${field.name}" value="true"${field.checked ? html` checked` : ''}${ariaAttributes(field)}> <span>${field.label}</span></label>
    ${hintAndError(field)}
  </div>`
}

export const hiddenField = (name: string, value: string): SafeHtml => html`<input type="hidden" name="${name}" value="${value}">`

/** Returns a field for each value that is defined. */
export const hiddenFields = (values: Readonly<Record<string, string | undefined>>): SafeHtml =>
  html`${Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [hiddenField(name, value)]))}`

/** The name of an error, the label of its field, and the name of the field if it is another one. */
export type SummaryField = readonly [error: string, label: string | SafeHtml, field?: string]

/** Lists all errors above the form: those of its fields as links to them, with their labels. */
export function errorSummary(errors: FieldErrors, fields: readonly SummaryField[], language: Language): SafeHtml | string {
  const all = Object.entries(errors)
  if (all.length === 0) return ''
  const texts = textsIn(language)
  const linked = fields.flatMap(([name, label, field = name]) => {
    const error = errors[name]
    if (error === undefined) return []
    const sentence = inLanguage(errorSentence(error), error.language, language)
    return [html`<li><a href="#${fieldId({ name: field })}"><b>${label}</b> ${sentence}</a></li>`]
  })
  const names = texts.section('problem.fields')
  const unlinked = all.filter(([name]) => !fields.some(([field]) => field === name))
  const lines = unlinked.map(
    ([name, error]) =>
      html`<li${langAttribute(error.language, language)}>${name === 'base' ? errorSentence(error) : `${names[name] ?? name} ${error.texts.join(', ')}`}</li>`,
  )
  return html`<div class="error-summary" role="alert">
    <p><b>${texts('field.hasErrors')}</b> ${unlinked.length < all.length ? texts('field.correctFields') : ''}</p>
    <ul>${lines}${linked}</ul>
  </div>`
}
