import { inLanguage, type Texts } from '../../locales/texts.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import type { FormValues } from '../../html/form-input.ts'
import { formatNumber } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { REASON_MAX, type ModerationItem } from '../../moderation/schema.ts'
import type { SeveralResult } from './decide-several.ts'
import { itemChoice, itemName } from './moderation-subject.ts'

/** The form follows the list, and the checkboxes in the list name it: forms cannot be nested. */
const FORM_ID = 'several'

export interface SeveralForm {
  /** Idempotency key: the same form sent twice decides once. */
  readonly formKey: string
  /** Parameters of the list, to which the form returns. */
  readonly list: { readonly subject_type: string | undefined; readonly page: number | undefined }
  readonly selected: readonly string[] | 'all'
  readonly values: FormValues
  readonly errors: FieldErrors
  readonly result?: SeveralResult
}

export function selectionField(item: ModerationItem, { selected }: SeveralForm, texts: Texts): SafeHtml {
  const choice = itemChoice(item)
  const checked = selected === 'all' || selected.includes(choice) ? html` checked` : ''
  return html`<label class="choice"><input type="checkbox" form="${FORM_ID}" name="items" value="${choice}"${checked} aria-label="${texts('severalDecisions.selectItem', { item: itemName(item, texts) })}"> ${texts('severalDecisions.select')}</label>`
}

export function selectionLinks({ selected, list }: SeveralForm, { to }: Links, texts: Texts): SafeHtml {
  return html`<p>${
    selected === 'all'
      ? html`<a href="${to('/moderation', list)}">${texts('severalDecisions.selectNone')}</a>`
      : html`<a href="${to('/moderation', { ...list, selected: 'all' })}">${texts('severalDecisions.selectAll')}</a>`
  }</p>`
}

export function severalForm({ formKey, list, values, errors }: SeveralForm, { to }: Links, texts: Texts): SafeHtml {
  const hint = texts('severalDecisions.reasonHint', { max: formatNumber(REASON_MAX, texts.language) })
  const form = createForm(texts.language, { values, errors })
  return html`<section class="narrow"><h2>${texts('severalDecisions.title')}</h2>
    <p class="quiet">${texts('severalDecisions.hint')}</p>
    <form method="post" id="${FORM_ID}" action="${to('/moderation', list)}">
      ${hiddenField('form_key', formKey)}
      ${form.textarea('reason', texts('severalDecisions.reason'), { hint, isConditional: true })}
      <div class="buttons">
        <button class="second" name="decision" value="approve">${texts('severalDecisions.approve')}</button>
        <button class="second" name="decision" value="reject">${texts('severalDecisions.reject')}</button>
      </div>
    </form></section>`
}

export function severalResult({ decision, decided, left }: SeveralResult, { to }: Links, texts: Texts): SafeHtml {
  const rows = left.map(({ id, item, reason }) => {
    const name = item
      ? html`<a href="${to(`/moderation/${id}`)}">${itemName(item, texts)}</a>`
      : texts('severalDecisions.unknownItem', { id })
    return html`<li>${name}: ${inLanguage(reason, texts.language)}</li>`
  })
  return html`${decided > 0 ? html`<p class="done" role="status">${texts(`severalDecisions.done.${decision}`, { count: decided })}</p>` : ''}
    ${rows.length > 0 ? html`<div class="error-summary" role="alert"><p><b>${texts('severalDecisions.left', { count: rows.length })}</b></p><ul>${rows}</ul></div>` : ''}`
}
