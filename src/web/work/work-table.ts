import { createForm, type FormState } from '../../html/form.ts'
import { formatDuration, formatNumber } from '../../html/format.ts'
import { inLanguage } from '../../html/page.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { employeeOutcomes } from '../../issue-lifecycle/status.ts'
import type { IssueRow } from '../../issues/queries.ts'
import type { Language, Texts } from '../../locales/texts.ts'
import { translateType } from '../../request-types/present.ts'
import { describeTarget } from '../../staff/targets/conditions.ts'
import type { WorkRow } from '../../staff/worklist/worklist.ts'
import type { Template } from '../../staff/templates.ts'
import type { Receiver } from '../../staff/transfers/queries.ts'
import { statusBadge } from '../cards/cards.ts'
import { outcomeDetails } from '../issues/issue-comment-form.ts'
import { priorityName } from '../issues/staff-offers.ts'
import { TEMPLATE_PREFIX } from './work-changes.ts'

interface ActionBar {
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

export interface WorkTable extends ActionBar {
  readonly issues: readonly IssueRow[]
  readonly rows: ReadonlyMap<number, WorkRow>
  readonly mayWork: boolean
  readonly now: Date
  /** The path of the page with its query. */
  readonly path: string
  readonly links: Links
}

const columns = ['number', 'what', 'where', 'age', 'target', 'assignee', 'votes'] as const

/** Returns one form: a table of issues with a box and buttons for each, and the steps for all selected ones. */
export function workTable(view: WorkTable): SafeHtml {
  const { issues, rows, mayWork, path, texts } = view
  const body = issues.flatMap((issue) => {
    const row = rows.get(issue.id)
    return row ? [workRow(issue, row, view)] : []
  })
  const select = mayWork
    ? html`<th scope="col" class="select"><span class="visually-hidden">${texts('work.select')}</span></th>`
    : ''
  const table = html`<table class="worklist"><caption class="visually-hidden">${texts('work.title')}</caption>
    <thead><tr>${select}${columns.map((name) => html`<th scope="col">${texts(`work.columns.${name}`)}</th>`)}</tr></thead>
    <tbody>${body}</tbody></table>`
  if (!mayWork) return table
  return html`<form id="work" class="work-form" method="post" enctype="multipart/form-data" action="${path}">${actionBar(view)}${table}</form>`
}

function workRow(issue: IssueRow, row: WorkRow, view: WorkTable): SafeHtml {
  const { mayWork, now, links, texts, language } = view
  const { id, summary, address, lng, lat } = issue
  const type = issue.request_type && translateType(issue.request_type, language)
  const waitingSince = issue.reopened_at ?? issue.created_at
  const isOpen = issue.status === 'Open' || issue.status === 'Acknowledged'
  const isSelected = [view.rejected?.values['issue'] ?? []].flat().includes(String(id))
  const box = html`<td class="select"><input type="checkbox" name="issue" value="${id}"${isSelected ? html` checked` : ''} aria-label="${texts('work.selectIssue', { id, summary })}"><input type="hidden" name="version_${id}" value="${row.version}"></td>`
  const button = (action: string, label: string) =>
    html`<button class="second small" name="action" value="${action}-${id}" aria-label="${label} #${id}">${label}</button>`
  const acknowledge = mayWork && issue.status === 'Open' ? button('acknowledge', texts('work.acknowledge')) : ''
  const priority =
    row.priority === 1 ? '' : html`<span class="priority p${row.priority}">${priorityName(row.priority, texts)}</span>`
  const notes = row.notes_count === 0 ? '' : html`<span class="quiet">${texts('staff.notes', { count: row.notes_count })}</span>`
  return html`<tr data-issue="${id}" data-version="${row.version}" data-lng="${lng}" data-lat="${lat}">
    ${mayWork ? box : ''}
    <td class="number">#${id}</td>
    <th scope="row" class="what"><a href="${links.to(`/issues/${id}`)}">${summary}</a>
      <span class="facts">${statusBadge(issue, language)}${priority}${type ? html`<span class="quiet">${inLanguage(type.title, type.language, language)}</span>` : ''}${notes}${acknowledge}</span></th>
    <td data-label="${texts('work.columns.where')}">${address ?? ''}</td>
    <td data-label="${texts('work.columns.age')}"><time datetime="${waitingSince}">${formatDuration(now.getTime() - Date.parse(waitingSince), language)}</time></td>
    <td data-label="${texts('work.columns.target')}">${isOpen ? targetBadge(row, view) : ''}</td>
    <td data-label="${texts('work.columns.assignee')}">${row.assignee?.name ?? html`<span class="quiet">${texts('work.notAssigned')}</span>`}</td>
    <td data-label="${texts('work.columns.votes')}" class="votes">${formatNumber(row.vote_count, language)}</td>
  </tr>`
}

function targetBadge(row: WorkRow, { now, language }: WorkTable): SafeHtml | string {
  const target = describeTarget(row, now, language)
  return target ? html`<span class="target ${target.state}">${target.words}</span>` : ''
}

/** Returns the steps for all selected issues. The style sheet shows the fields of an outcome only with it. */
function actionBar({ colleagues, receivers, templates, viewer, rejected, texts, language }: ActionBar): SafeHtml {
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
    <div class="answer">${form.input('comment', texts('work.answer'), { hint: texts('work.bulk.answerHint'), maxlength: 10_000, ...always })}
      ${form.input('image', texts('issueForm.picture'), { type: 'file', isCamera: true, hint: texts('work.pictureHint'), ...always })}</div>`
  return html`${form.errorSummary()}<fieldset class="work-actions"><legend>${texts('work.withSelected')} <span id="selected-count" role="status"></span></legend>
    ${rejected?.errors['issue'] ? html`<p class="field-error">${rejected.errors['issue'].texts.join(' ')}</p>` : ''}
    <button name="action" value="acknowledge" data-key="g">${texts('work.acknowledge')}</button>
    <button class="second" name="action" value="change">${texts('work.bulk.more')}</button>
    ${fields}</fieldset>`
}
