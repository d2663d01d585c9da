import { transitionNames } from '../../issue-lifecycle/transitions.ts'
import { actionForm, createForm, readText, type FormState } from '../../html/form.ts'
import { errorSummary } from '../../html/fields.ts'
import { inLanguage, type HtmlPage } from '../../html/page.ts'
import type { Links } from '../../html/links.ts'
import { formatDuration } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { BulkRun } from '../../staff/bulk/schema.ts'
import { priorities } from '../../staff/schema.ts'
import type { TypeChoice } from '../../staff/staff-side.ts'
import { priorityName, toTypeChoices } from '../issues/staff-offers.ts'

/** Outcomes that need no further field. */
const listOutcomes = ['fixed', 'not_ours', 'cannot_fix', 'not_found'] as const

export interface BulkChoice extends Required<FormState> {
  readonly count: number
  readonly organization: { readonly name: string; readonly language: string }
  readonly viewer: Viewer
  readonly colleagues: readonly { readonly id: number; readonly name: string }[]
  readonly types: readonly TypeChoice[]
  /** The path of the form with the selection, and that of the list. */
  readonly action: string
  readonly back: string
  readonly language: Language
}

/** A form for each change that all selected issues may get. Each leads to its preview. */
export function bulkChoicePage(page: BulkChoice): HtmlPage {
  const { count, organization, viewer, colleagues, types, values, errors, action, back, language } = page
  const texts = textsIn(language)
  const { query, ...others } = errors
  const form = createForm(language, { values, errors })
  const select = (name: string, label: string, choices: readonly { readonly key: string; readonly name: string }[], value = '') =>
    form.select(name, label, { choices, value: readText(values, name) || value, hasDefault: true, isConditional: true })
  const answer = (id: string) =>
    form.textarea('comment', texts('work.answer'), { id, hint: texts('work.bulk.answerHint'), isConditional: true })
  const selectable = colleagues.filter(({ id }) => id !== viewer.id).map(({ id, name }) => ({ key: String(id), name }))
  const own = String(viewer.id)
  const people = [{ key: own, name: texts('work.me') }, ...selectable, { key: '', name: texts('work.notAssigned') }]
  const levels = priorities.map((one) => ({ key: String(one), name: priorityName(one, texts) }))
  const kinds = [...toTypeChoices(types, language), { key: 'other', name: texts('otherRequestType.title') }]
  const outcomes = listOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) }))
  const forms = {
    acknowledge: [answer('comment')],
    assign: [select('assignee_id', texts('work.assignTo'), people, own)],
    close: [select('outcome', texts('work.outcome'), outcomes), answer('closing-comment')],
    priority: [select('priority', texts('staff.priority'), levels, '1')],
    type: [form.select('request_type_id', texts('issue.type'), { choices: kinds, required: true })],
  }
  const section = (change: keyof typeof forms) => html`<section class="card-form"><h2>${texts(`work.bulk.changes.${change}`)}</h2>
    ${actionForm({ action, hidden: { transition: transitionNames.find((one) => one === change) }, fields: forms[change], button: texts('work.bulk.preview') })}</section>`
  const title = texts('work.bulk.title', { count })
  return {
    ...{ title, description: texts('work.description'), language },
    body: html`<p class="trail"><a href="${back}">${texts('work.title')}</a></p>
      <h1>${title}</h1>
      ${errorSummary(query ? { base: query, ...others } : others, [['comment', texts('work.answer')]], language)}
      <p class="quiet">${inLanguage(organization.name, organization.language, language)}. ${texts('work.bulk.hint')}</p>
      ${count > 0 ? html`<div class="staff-forms">${(Object.keys(forms) as (keyof typeof forms)[]).map(section)}</div>` : ''}`,
  }
}

interface RunPage {
  readonly run: BulkRun
  /** The name of the new assignee or type. */
  readonly name: string | undefined
  readonly now: Date
  readonly links: Links
  readonly language: Language
}

export function bulkRunPage({ run, name, now, links, language }: RunPage): HtmlPage {
  const { id, state, count, counts, refused, left, mails, hash, undo_until } = run
  const texts = textsIn(language)
  const progress = { done: (counts['done'] ?? 0) + (counts['undone'] ?? 0), count }
  const title = texts(`work.bulk.states.${state}`, state === 'preview' ? { count } : progress)
  const [path, remaining_ms] = [links.to(`/bulk/${id}`), undo_until === null ? 0 : Date.parse(undo_until) - now.getTime()]
  const mayUndo = (state === 'running' || state === 'done') && remaining_ms > 0
  const undo = { action: `${path}/undo`, button: texts('work.bulk.undo', { time: formatDuration(remaining_ms, language) }) }
  const runs = { action: `${path}/run`, hidden: { hash }, button: texts('work.bulk.run', { count }), kind: '' } as const
  return {
    ...{ title, description: texts('work.description'), language },
    body: html`<p class="trail"><a href="${links.to('/work')}">${texts('work.title')}</a></p>
      <h1>${title}</h1>
      <div role="status"><p><b>${describe(run.change, name, texts)}</b></p>
        ${state === 'preview' ? '' : html`<progress max="${count}" value="${state === 'undoing' || state === 'undone' ? (counts['undone'] ?? 0) : progress.done}" aria-label="${title}"></progress>`}
        ${state === 'undoing' || state === 'undone' ? '' : html`<p>${texts('work.bulk.mails', { count: mails })}</p>`}</div>
      ${reasons(texts('work.bulk.refused', { count: refused.length }), refused, links)}
      ${reasons(texts('work.bulk.left', { count: left.length }), left, links)}
      ${state === 'preview' && count > 0 ? actionForm(runs) : ''}${mayUndo ? actionForm(undo) : ''}
      ${state === 'running' || state === 'undoing' ? html`<p class="quiet">${texts('work.bulk.refreshes')} <a href="${path}">${texts('work.bulk.refresh')}</a></p>` : ''}`,
  }
}

function describe(change: BulkRun['change'], name: string | undefined, texts: Texts): string {
  const { assignee_id, priority, transition, comment, outcome, passed_on_to, duplicate_of } = change
  const entry = (what: string, value: string) => texts('work.bulk.entry', { what, value })
  if (assignee_id !== undefined) return entry(texts('work.columns.assignee'), name ?? texts('work.notAssigned'))
  if (priority !== undefined) return entry(texts('staff.priority'), priorityName(priority, texts))
  if (transition === undefined) return entry(texts('issue.type'), name ?? texts('otherRequestType.title'))
  const step = transition === 'open' ? texts('issueForm.submitWith.open') : texts(`work.bulk.changes.${transition}`)
  const to = passed_on_to || (duplicate_of ? `#${String(duplicate_of).replace('#', '')}` : '')
  const why = outcome ? texts(`issueForm.outcomes.${outcome}`) : ''
  return entry(why ? `${step} (${to ? entry(why, to) : why})` : step, comment ?? '')
}

const reasons = (title: string, rows: BulkRun['refused'], { to }: Links): SafeHtml | string =>
  rows.length === 0
    ? ''
    : html`<h2>${title}</h2><ul>${rows.map(({ id, why }) => html`<li><a href="${to(`/issues/${id}`)}">#${id}</a> ${why}</li>`)}</ul>`
