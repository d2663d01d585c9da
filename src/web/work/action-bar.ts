import { createForm, type FormState } from '../../html/form.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { employeeOutcomes } from '../../issue-lifecycle/status.ts'
import type { Language, Texts } from '../../locales/texts.ts'
import type { Template } from '../../staff/templates.ts'
import type { Receiver } from '../../staff/transfers/queries.ts'
import { outcomeDetails } from '../issues/issue-comment-form.ts'
import { TEMPLATE_PREFIX } from './work-changes.ts'

export interface ActionBar {
  readonly colleagues: readonly { readonly id: number; readonly name: string }[]
  /** The organisations to which some issue of the page can be offered. */
  readonly receivers: readonly Receiver[]
  /** The prepared answers that close an issue. */
  readonly templates: readonly Pick<Template, 'id' | 'title'>[]
  /** The values and errors of the form, if it was rejected. */
  readonly rejected?: Required<FormState> | undefined
  readonly viewer: Viewer
  readonly texts: Texts
  readonly language: Language
}

/** Returns the steps for all selected issues. The style sheet shows the fields of an outcome only with it. */
export function actionBar({ colleagues, receivers, templates, viewer, rejected, texts, language }: ActionBar): SafeHtml {
  const form = createForm(language, rejected)
  const others = colleagues.filter(({ id }) => id !== viewer.id)
  const toChoice = ({ id, name }: { readonly id: number; readonly name: string }) => ({ key: String(id), name })
  const people = [
    { key: String(viewer.id), name: texts('work.me') },
    ...others.map(toChoice),
    { key: 'none', name: texts('work.notAssigned') },
  ]
  const outcomes = [
    ...employeeOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) })),
    ...templates.map(({ id, title }) => ({ key: `${TEMPLATE_PREFIX}${id}`, name: title })),
  ]
  const always = { isConditional: true } as const
  const button = (action: string, key: string, label: string) =>
    html`<button class="second" name="action" value="${action}" data-key="${key}">${label}</button>`
  const fields = html`<div class="pair">${form.select('assignee_id', texts('work.assignTo'), { choices: people, hasDefault: true, ...always })}${button('assign', 'a', texts('work.assign'))}</div>
    <div class="pair closing">${form.select('outcome', texts('work.outcome'), { id: 'closing', choices: outcomes, hasDefault: true, ...always })}
      ${outcomeDetails(form, texts)}${button('close', 'c', texts('work.close'))}</div>
    ${receivers.length > 0 ? html`<div class="pair">${form.select('organization_id', texts('work.offerTo'), { id: 'receiver', choices: [{ key: '', name: texts('work.offerTo') }, ...receivers.map(toChoice)], hasDefault: true, ...always })}${button('transfer', 't', texts('work.offer'))}</div>` : ''}
    <div class="answer">${form.input('comment', texts('work.answer'), { hint: texts('work.bulk.answerHint'), maxlength: 10_000, ...always })}</div>`
  return html`${form.errorSummary()}<fieldset class="work-actions"><legend>${texts('work.withSelected')} <span id="selected-count" role="status"></span></legend>
    ${rejected?.errors['issue'] ? html`<p class="field-error">${rejected.errors['issue'].texts.join(' ')}</p>` : ''}
    <button name="action" value="acknowledge" data-key="g">${texts('work.acknowledge')}</button>
    <button class="second" name="action" value="change">${texts('work.bulk.more')}</button>
    ${fields}</fieldset>`
}
