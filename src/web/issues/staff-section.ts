import { hiddenField, type FieldErrors, selectField, type SummaryField, textareaField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { dateLocale } from '../../html/format.ts'
import { formatLocalTime } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { LogKind } from '../../issue-lifecycle/log-queries.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { NOTE_MAX, priorities, type StaffIssue } from '../../staff/schema.ts'
import type { StaffSide, TypeChoice } from '../../staff/staff-side.ts'
import type { IssueView } from './issue-view.ts'
import { targetForm } from './target-form.ts'
import { UNASSIGNED } from './staff-actions.ts'

export const staffFields = (texts: Texts): readonly SummaryField[] => [
  ['assignee_id', texts('issueForm.assignee')],
  ['priority', texts('staff.priority')],
  ['request_type_id', texts('issue.type')],
  ['target_reason', texts('target.reason')],
  ['note', texts('staff.newNote')],
]

interface Context {
  readonly view: IssueView
  readonly side: StaffSide
  readonly staff: StaffIssue
  readonly links: Links
  readonly texts: Texts
  readonly errors: FieldErrors
}

/** The part of the page that only staff see. It looks different from the public part, so that no note is written as a comment. */
export function staffSection(view: IssueView, links: Links, errors: FieldErrors): SafeHtml | string {
  const { staff: side, isPublic, language } = view
  if (!side || !isPublic) return ''
  const { issue: staff } = side
  const texts = textsIn(language)
  const context = { view, side, staff, links, texts, errors }
  return html`<section class="staff" id="staff" aria-labelledby="staff-name">
    <h2 id="staff-name">${texts('staff.heading')}</h2>
    <p class="quiet">${texts('staff.hint')}</p>
    ${staff.capabilities.includes('work_on_issues') ? html`<div class="staff-forms">${assignForm(context)}${priorityForm(context)}${typeForm(context)}</div>` : ''}
    ${targetForm({ view, staff, action: links.to(`/issues/${view.issue.id}/target`), error: errors['target_reason'] })}
    ${noteList(context)}
    ${log(context)}
  </section>`
}

function editForm({ view, staff, links, texts }: Context, step: string, field: SafeHtml, button: string): SafeHtml {
  return html`<form method="post" action="${links.to(`/issues/${view.issue.id}/${step}`)}">
    ${hiddenField('version', String(staff.version))}${field}
    <p><button class="second">${button || texts('staff.save')}</button></p>
  </form>`
}

/** An assignee who left the organisation stays selectable until another one is chosen. */
function assignForm(context: Context): SafeHtml {
  const { view, side, texts, errors } = context
  const { viewer, language, issue } = view
  const { colleagues } = side
  const { assignee } = issue
  const candidates = assignee && !colleagues.some(({ id }) => id === assignee.id) ? [assignee, ...colleagues] : colleagues
  const choices = candidates.map(({ id, name }) => ({
    key: String(id),
    name: id === viewer?.id ? texts('issueForm.yourself', { name }) : name,
  }))
  const field = selectField({
    name: 'assignee_id',
    label: texts('issueForm.assignee'),
    choices: [{ key: UNASSIGNED, name: texts('issueForm.unassigned') }, ...choices],
    value: assignee ? String(assignee.id) : UNASSIGNED,
    hasDefault: true,
    required: true,
    error: errors['assignee_id'],
    language,
  })
  return editForm(context, 'assignee', field, texts('issueForm.assign'))
}

function priorityForm(context: Context): SafeHtml {
  const { staff, texts, errors, view } = context
  const field = selectField({
    name: 'priority',
    label: texts('staff.priority'),
    choices: priorities.map((priority) => ({ key: String(priority), name: priorityName(priority, texts) })),
    value: String(staff.priority),
    hasDefault: true,
    required: true,
    error: errors['priority'],
    language: view.language,
  })
  return editForm(context, 'priority', field, '')
}

const priorityName = (priority: number, texts: Texts): string =>
  texts(`staff.priorities.${priority as (typeof priorities)[number]}`)

function typeForm(context: Context): SafeHtml {
  const { staff, side, texts, errors, view } = context
  const own = side.types.map((type) => ({ key: String(type.id), name: titleIn(type, view.language) }))
  const field = selectField({
    name: 'request_type_id',
    label: texts('issue.type'),
    choices: [...own, { key: 'other', name: texts('otherRequestType.title') }],
    value: String(staff.request_type_id ?? 'other'),
    hasDefault: true,
    required: true,
    error: errors['request_type_id'],
    language: view.language,
  })
  return editForm(context, 'type', field, '')
}

const titleIn = ({ title, translations }: TypeChoice, language: Language): string =>
  (translations as Readonly<Record<string, { readonly title?: string }>> | null)?.[language]?.title ?? title

function noteList(context: Context): SafeHtml {
  const { view, staff, links, texts, errors } = context
  const { issue, language, viewer } = view
  const notes = staff.notes.map(
    ({ id, text, author, created_at, edited_at }) => html`<li>
      <p class="quiet">${author?.name ?? texts('staff.formerMember')}, ${time(created_at, view)}${edited_at === null ? '' : html` · ${texts('staff.edited')}`}</p>
      <p class="text">${text}</p>
      ${
        author?.id === viewer?.id
          ? html`<form method="post" action="${links.to(`/issues/${issue.id}/notes/delete`)}">${hiddenField('note_id', String(id))}<button class="quiet">${texts('staff.deleteNote')}</button></form>`
          : ''
      }
    </li>`,
  )
  return html`<h3>${texts('staff.notes', { count: notes.length })}</h3>
    ${notes.length > 0 ? html`<ol class="notes">${notes}</ol>` : ''}
    <form method="post" action="${links.to(`/issues/${issue.id}/notes`)}">
      ${textareaField({ name: 'note', label: texts('staff.newNote'), hint: texts('staff.newNoteHint'), required: true, maxlength: NOTE_MAX, error: errors['note'], language })}
      <p><button class="second">${texts('staff.addNote')}</button></p>
    </form>`
}

function log({ view, side, staff, texts }: Context): SafeHtml | string {
  if (staff.log.length === 0) return ''
  const entries = staff.log.map(
    (entry) =>
      html`<li>${time(entry.at, view)} · ${entry.actor?.name ?? texts('staff.automatic')}: ${describeChange(entry, side, view.language, texts)}</li>`,
  )
  return html`<details><summary>${texts('staff.log', { count: entries.length })}</summary><ol class="log">${entries}</ol></details>`
}

type Values = Readonly<Record<string, unknown>>
type Describe = (values: Values, names: StaffSide['names'], language: Language) => string

const describeValue: Readonly<Record<string, Describe>> = {
  status: ({ status }, _, language) => statusName(status as Status, language),
  priority: ({ priority }, _, language) => priorityName(Number(priority), textsIn(language)),
  assignee: ({ assignee_id }, { users }, language) =>
    assignee_id === null
      ? textsIn(language)('issueForm.unassigned')
      : (users.get(Number(assignee_id)) ?? textsIn(language)('staff.formerMember')),
  type: ({ request_type_id }, { types }, language) =>
    (request_type_id === null ? undefined : types.get(Number(request_type_id))) ?? textsIn(language)('otherRequestType.title'),
  merge: ({ duplicate_of }) => (typeof duplicate_of === 'number' ? `#${duplicate_of}` : '–'),
  target: ({ acknowledge_by, close_by, paused, reason }, _, language) => {
    const texts = textsIn(language)
    const times = [['acknowledge', acknowledge_by] as const, ['close', close_by] as const].flatMap(([step, at]) =>
      typeof at === 'string' ? [texts(`target.by.${step}`, { time: writeUtcTime(at, language) })] : [],
    )
    const entry = paused === true ? texts('target.paused') : times.join(', ') || texts('target.none')
    return typeof reason === 'string' ? `${entry}: ${reason}` : entry
  },
  transfer: ({ organization_id, state, reason, refusal }, { organizations }, language) => {
    const texts = textsIn(language)
    const name = organizations.get(Number(organization_id)) ?? '–'
    if (typeof state !== 'string') return name
    const why = reason ?? refusal
    const entry = texts(`staff.transferStates.${state as 'offered' | 'accepted' | 'refused'}`, { name })
    return typeof why === 'string' ? `${entry}: ${why}` : entry
  },
}

const writeUtcTime = (iso: string, language: Language) =>
  new Intl.DateTimeFormat(dateLocale(language), { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))

function describeChange(
  { kind, before, after }: StaffIssue['log'][number],
  { names }: StaffSide,
  language: Language,
  texts: Texts,
): string {
  if (kind === 'report') return texts('staff.kinds.report')
  const describe = describeValue[kind]
  if (!describe) return kind
  const value = (values: object | null) => describe((values ?? {}) as Values, names, language)
  return texts('staff.change', {
    what: texts(`staff.kinds.${kind as LogKind | 'status'}`),
    before: value(before),
    after: value(after),
  })
}

const time = (at: string, { issue, language }: IssueView): SafeHtml => formatLocalTime(at, language, issue)
