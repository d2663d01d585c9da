import { formatDuration } from '../../html/local-format.ts'
import { formatNumber } from '../../html/format.ts'
import { inLanguage } from '../../html/lang.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import type { IssueRow } from '../../issues/queries.ts'
import type { Language, Texts } from '../../locales/texts.ts'
import { translateType } from '../../request-types/present.ts'
import { describeTarget } from '../../staff/targets/describe-target.ts'
import { toDueTarget } from '../../staff/worklist/present.ts'
import type { WorkRow } from '../../staff/worklist/worklist.ts'
import { statusBadge } from '../cards/cards.ts'
import { listOutcomes } from './work-changes.ts'

export interface WorkTable {
  readonly issues: readonly IssueRow[]
  readonly rows: ReadonlyMap<number, WorkRow>
  readonly colleagues: readonly { readonly id: number; readonly name: string }[]
  readonly viewer: Viewer
  readonly mayWork: boolean
  readonly now: Date
  /** The path of the page with its query. */
  readonly path: string
  readonly links: Links
  readonly texts: Texts
  readonly language: Language
}

const columns = ['number', 'what', 'where', 'age', 'target', 'assignee', 'votes'] as const

/** Returns one form: a table of issues with a box and buttons for each, and the steps for all selected ones. */
export function workTable(view: WorkTable): SafeHtml {
  const { issues, rows, mayWork, path, links, texts } = view
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
  return html`<form id="work" class="work-form" method="post" action="${links.to('/work')}">
    <input type="hidden" name="return_to" value="${path}">
    ${actionBar(view)}${table}</form>`
}

function actionBar({ colleagues, viewer, texts }: WorkTable): SafeHtml {
  const others = colleagues.filter(({ id }) => id !== viewer.id)
  const option = (value: string | number, name: string) => html`<option value="${value}">${name}</option>`
  return html`<fieldset class="work-actions"><legend>${texts('work.withSelected')} <span id="selected-count" role="status"></span></legend>
    <button name="action" value="acknowledge" data-key="g">${texts('work.acknowledge')}</button>
    <span class="pair"><select name="assignee_id" aria-label="${texts('work.assignTo')}">
      ${option(viewer.id, texts('work.me'))}${others.map(({ id, name }) => option(id, name))}${option('none', texts('work.notAssigned'))}
    </select><button class="second" name="action" value="assign" data-key="a">${texts('work.assign')}</button></span>
    <span class="pair"><select name="outcome" aria-label="${texts('work.outcome')}">
      ${listOutcomes.map((outcome) => option(outcome, texts(`issueForm.outcomes.${outcome}`)))}
    </select><button class="second" name="action" value="close" data-key="c">${texts('work.close')}</button></span>
    <button class="second" name="action" value="change">${texts('work.bulk.more')}</button>
    <label class="answer">${texts('work.answer')} <input name="comment" maxlength="10000" placeholder="${texts('work.answers.acknowledged')}"></label>
  </fieldset>`
}

function workRow(issue: IssueRow, row: WorkRow, view: WorkTable): SafeHtml {
  const { mayWork, now, links, texts, language } = view
  const { id, summary, address, lng, lat } = issue
  const type = issue.request_type && translateType(issue.request_type, language)
  const waitingSince = issue.reopened_at ?? issue.created_at
  const isOpen = issue.status === 'Open' || issue.status === 'Acknowledged'
  const box = html`<td class="select"><input type="checkbox" name="issue" value="${id}" aria-label="${texts('work.selectIssue', { id, summary })}"><input type="hidden" name="version_${id}" value="${row.version}"></td>`
  const button = (action: string, label: string) =>
    html`<button class="second small" name="action" value="${action}-${id}" aria-label="${label} #${id}">${label}</button>`
  const acknowledge = mayWork && issue.status === 'Open' ? button('acknowledge', texts('work.acknowledge')) : ''
  const priority =
    row.priority === 1
      ? ''
      : html`<span class="priority p${row.priority}">${texts(`staff.priorities.${priorityKey(row.priority)}`)}</span>`
  const notes = row.notes_count === 0 ? '' : html`<span class="quiet">${texts('staff.notes', { count: row.notes_count })}</span>`
  return html`<tr data-issue="${id}" data-lng="${lng}" data-lat="${lat}">
    ${mayWork ? box : ''}
    <td class="number">#${id}</td>
    <th scope="row" class="what"><a href="${links.to(`/issues/${id}`)}">${summary}</a>
      <span class="facts">${statusBadge(issue, language)}${priority}${type ? html`<span class="quiet">${inLanguage(type.title, type.language, language)}</span>` : ''}${notes}</span>
      ${acknowledge}</th>
    <td data-label="${texts('work.columns.where')}">${address ?? ''}</td>
    <td data-label="${texts('work.columns.age')}"><time datetime="${waitingSince}">${formatDuration(now.getTime() - Date.parse(waitingSince), language)}</time></td>
    <td data-label="${texts('work.columns.target')}">${isOpen ? targetBadge(row, view) : ''}</td>
    <td data-label="${texts('work.columns.assignee')}">${row.assignee?.name ?? html`<span class="quiet">${texts('work.notAssigned')}</span>`}</td>
    <td data-label="${texts('work.columns.votes')}" class="votes">${formatNumber(row.vote_count, language)}</td>
  </tr>`
}

const priorityKey = (priority: number) => (['0', '1', '2', '3'] as const)[priority] ?? '1'

function targetBadge(row: WorkRow, { now, language }: WorkTable): SafeHtml | string {
  const next = toDueTarget(row)
  if (!next) return ''
  const { state, words } = describeTarget(next, now, language)
  return html`<span class="target ${state}">${words}</span>`
}
