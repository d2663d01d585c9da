import { PASSED_ON_TO_MAX } from '../../comments/write-schema.ts'
import type { Form } from '../../html/form.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { employeeOutcomes } from '../../issue-lifecycle/outcomes.ts'
import type { Texts } from '../../locales/texts.ts'
import type { IssueView } from './issue-view.ts'

/** The fields by which an employee says why the issue is closed. */
export function closingFields(
  { row, transitions, texts }: Pick<IssueView, 'row' | 'transitions' | 'texts'>,
  form: Form,
): SafeHtml | string {
  if (row.actor_role !== 'employee' || !transitions.includes('close')) return ''
  const choices = employeeOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) }))
  return html`<div class="closing">
    ${form.select('outcome', texts('issueForm.outcome'), { hint: texts('issueForm.outcomeHint'), choices, isConditional: true })}
    ${outcomeDetails(form, texts)}</div>`
}

/** The style sheet shows each with its outcome only. */
export const outcomeDetails = (form: Form, texts: Texts): SafeHtml =>
  html`<div class="passed-on">${form.input('passed_on_to', texts('issueForm.passedOnTo'), { hint: texts('issueForm.passedOnToHint'), maxlength: PASSED_ON_TO_MAX, isConditional: true })}</div>
    <div class="duplicate">${form.input('duplicate_of', texts('issueForm.duplicateOf'), { inputmode: 'text', maxlength: 10, isConditional: true })}</div>`
