import { formatDuration, formatNumber } from '../../html/format.ts'
import { inLanguage } from '../../html/page.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { translateType } from '../../request-types/present.ts'
import { describeTarget } from '../../staff/targets/conditions.ts'
import { toDueTarget, type WorkRow } from '../../staff/worklist/worklist.ts'
import { statusBadge } from '../cards/cards.ts'
import { priorityName } from '../issues/staff-offers.ts'
import { actionBar, type ActionBar } from './action-bar.ts'

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
  return html`<form id="work" class="work-form" method="post" action="${path}">${actionBar(view)}${table}</form>`
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

function targetBadge(row: WorkRow, { now, language }: WorkTable): SafeHtml | string {
  const next = toDueTarget(row)
  if (!next) return ''
  const { state, words } = describeTarget(next, now, language)
  return html`<span class="target ${state}">${words}</span>`
}
