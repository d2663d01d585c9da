import { html, type SafeHtml } from './template.ts'
import type { Language } from '../errors/texts/languages.ts'

/** Texts beside the fields that they are about, by the name of the field; `base` stands above the form. `toldTo` makes them. */
export type FieldFaults = Readonly<Record<string, Fault>>

/** In the language of who reads it; where the page around it is written in another, it has to say so (WCAG 3.1.2). */
export interface Fault {
  readonly language: Language
  readonly texts: readonly string[]
}

interface Labelled {
  readonly name: string
  /** Where a page has several fields of this name. */
  readonly id?: string
  readonly label: string | SafeHtml
  readonly hint?: string | undefined
  /** A plain text is of the page itself. */
  readonly fault?: Fault | string | undefined
  readonly required?: boolean
}

export interface InputField extends Labelled {
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local' | 'file'
  /** What was typed before. Passwords and files are never written back. */
  readonly value?: string | undefined
  readonly autocomplete?: string
  readonly inputmode?: 'decimal' | 'text'
  readonly maxlength?: number
}

const idOf = ({ name, id = name }: Pick<Labelled, 'name' | 'id'>) => `field-${id.replaceAll(/[^\w-]+/g, '-')}`

const wordsOf = (fault: Fault | string): string => (typeof fault === 'string' ? fault : fault.texts.join(', '))
const langOf = (fault: Fault | string): SafeHtml | string =>
  typeof fault === 'string' || fault.language === 'en' ? '' : html` lang="${fault.language}"`

function textOf(fault: Fault | string): string {
  const text = wordsOf(fault)
  return text && text[0]?.toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}

/** The attributes that tie a field to what stands under it, for whoever hears the page. */
function described(field: Labelled): SafeHtml {
  const { hint, fault, required } = field
  const ids = [...(hint ? [`${idOf(field)}-hint`] : []), ...(fault ? [`${idOf(field)}-fault`] : [])].join(' ')
  return html`${ids ? html` aria-describedby="${ids}"` : ''}${fault ? html` aria-invalid="true"` : ''}${required ? html` required` : ''}`
}

function around(field: Labelled, control: SafeHtml): SafeHtml {
  const { label, required } = field
  return html`<div class="field">
    <label for="${idOf(field)}">${label}${required ? '' : html` <span class="quiet">(optional)</span>`}</label>
    ${control}${notes(field)}
  </div>`
}

const notes = (field: Labelled) => {
  const { hint, fault } = field
  return html`${
    hint ? html`<p class="quiet" id="${idOf(field)}-hint">${hint}</p>` : ''
  }${fault ? html`<p class="fault" id="${idOf(field)}-fault"${langOf(fault)}>${textOf(fault)}</p>` : ''}`
}

export function inputField(field: InputField): SafeHtml {
  const { name, type = 'text', value = '', autocomplete, inputmode, maxlength } = field
  const kept = type === 'password' || type === 'file' ? '' : html` value="${value}"`
  const more = [
    autocomplete === undefined ? '' : html` autocomplete="${autocomplete}"`,
    inputmode === undefined ? '' : html` inputmode="${inputmode}"`,
    maxlength === undefined ? '' : html` maxlength="${maxlength}"`,
    type === 'number' ? html` step="any"` : '',
    type === 'file' ? html` accept="image/*"` : '',
  ]
  return around(field, html`<input id="${idOf(field)}" name="${name}" type="${type}"${kept}${more}${described(field)}>`)
}

export function textareaField(field: Labelled & { readonly value?: string | undefined; readonly maxlength?: number }): SafeHtml {
  const { name, value = '', maxlength = 10_000 } = field
  return around(
    field,
    html`<textarea id="${idOf(field)}" name="${name}" rows="4" maxlength="${maxlength}"${described(field)}>
${value}</textarea>`,
  )
}

export interface Choice {
  readonly key: string
  readonly name: string
}

export interface SelectField extends Labelled {
  readonly choices: readonly Choice[]
  readonly value?: string | undefined
  /** The field of the date and time whose zone this is, for the script. */
  readonly zoneOf?: string
  /** One of the choices always holds, so there is none that says that nothing was chosen. */
  readonly isChosen?: true
}

export function selectField(field: SelectField): SafeHtml {
  const { name, choices, value, zoneOf, isChosen = zoneOf !== undefined } = field
  const options = choices.map(
    (choice) => html`<option value="${choice.key}"${choice.key === value ? html` selected` : ''}>${choice.name}</option>`,
  )
  const none = isChosen ? '' : html`<option value="">Choose …</option>`
  const zone = zoneOf === undefined ? '' : html` data-zone-of="${zoneOf}"`
  return around(field, html`<select id="${idOf(field)}" name="${name}"${zone}${described(field)}>${none}${options}</select>`)
}

/** One of them (`radio`) or any number of them (`checkbox`). */
export function choicesField(
  field: Labelled & {
    readonly type: 'radio' | 'checkbox'
    readonly choices: readonly Choice[]
    readonly values: readonly string[]
  },
): SafeHtml {
  const { name, label, required, type, choices, values } = field
  // Required on each checkbox would mean all of them.
  const needed = required && type === 'radio' ? html` required` : ''
  const boxes = choices.map(
    ({ key, name: text }) =>
      html`<label class="choice"><input type="${type}" name="${name}" value="${key}"${
        values.includes(key) ? html` checked` : ''
      }${needed}> ${text}</label>`,
  )
  return html`<fieldset class="field">
    <legend>${label}${required ? '' : html` <span class="quiet">(optional)</span>`}</legend>
    ${boxes}${notes(field)}
  </fieldset>`
}

export function checkField({
  name,
  label,
  fault,
  hint,
  checked,
  required = false,
}: Labelled & { readonly checked: boolean }): SafeHtml {
  return html`<div class="field">
    <label class="choice"><input type="checkbox" name="${name}" value="true"${checked ? html` checked` : ''}${described({ name, label, hint, fault, required })}> <span>${label}</span></label>
    ${notes({ name, label, hint, fault })}
  </div>`
}

export const hiddenField = (name: string, value: string): SafeHtml => html`<input type="hidden" name="${name}" value="${value}">`

/** What is wrong with the whole, or with something that has no field of its own, above the form. */
export function faultsAbove(faults: FieldFaults, shown: readonly string[] = []): SafeHtml | string {
  const all = Object.entries(faults)
  if (all.length === 0) return ''
  const others = all.filter(([name]) => !shown.includes(name))
  const lines = others.map(
    ([name, fault]) => html`<li${langOf(fault)}>${name === 'base' ? textOf(fault) : `${name} ${wordsOf(fault)}`}</li>`,
  )
  return html`<div class="faults" role="alert">
    <p><b>That did not work yet.</b> ${others.length < all.length ? 'Look at the marked fields.' : ''}</p>
    ${lines.length > 0 ? html`<ul>${lines}</ul>` : ''}
  </div>`
}
