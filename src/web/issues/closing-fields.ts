import { type Texts, textsIn } from '../../locales/texts.ts'
import { PASSED_ON_TO_MAX } from '../../comments/write-schema.ts'
import { type FieldErrors, inputField, selectField, type SummaryField } from '../../html/fields.ts'
import { type FormValues, readText } from '../../html/form-input.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { employeeOutcomes } from '../../issue-lifecycle/outcomes.ts'
import type { IssueView } from './issue-view.ts'

export const closingSummaryFields = (texts: Texts): readonly SummaryField[] => [
  ['outcome', texts('issueForm.outcome')],
  ['passed_on_to', texts('issueForm.passedOnTo')],
  ['duplicate_of', texts('issueForm.duplicateOf')],
]

/** The fields by which an employee says why the issue is closed. The style sheet shows the last two with their outcome only. */
export function closingFields(
  { row, transitions, language }: Pick<IssueView, 'row' | 'transitions' | 'language'>,
  { values, errors }: { readonly values: FormValues; readonly errors: FieldErrors },
): SafeHtml | string {
  if (row.actor_role !== 'employee' || !transitions.includes('close')) return ''
  const texts = textsIn(language)
  const field = (name: string) => ({ name, language, value: readText(values, name), error: errors[name], isConditional: true })
  return html`<div class="closing">
    ${selectField({
      ...field('outcome'),
      label: texts('issueForm.outcome'),
      hint: texts('issueForm.outcomeHint'),
      choices: employeeOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) })),
    })}
    <div class="passed-on">${inputField({
      ...field('passed_on_to'),
      label: texts('issueForm.passedOnTo'),
      hint: texts('issueForm.passedOnToHint'),
      maxlength: PASSED_ON_TO_MAX,
    })}</div>
    <div class="duplicate">${inputField({ ...field('duplicate_of'), label: texts('issueForm.duplicateOf'), inputmode: 'text', maxlength: 10 })}</div>
  </div>`
}
