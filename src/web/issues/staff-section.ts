import { actionForm, readText } from '../../html/form.ts'
import { selectField, type SummaryField, textareaField, type FieldErrors, inputField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { formatLocalTime, formatLocalDateTime } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import { NOTE_MAX, priorities, type StaffIssue } from '../../staff/schema.ts'
import type { StaffSide } from '../../staff/staff-side.ts'
import type { IssueView } from './issue-view.ts'
import { handOnForms, offerPanel, type RejectedStaffForm, toTypeChoices, priorityName, staffLog } from './staff-offers.ts'
import { noteVersion } from './staff-actions.ts'
import { REASON_MAX } from '../../staff/targets/schema.ts'
import { describeTarget } from '../../staff/targets/conditions.ts'

export const staffFields = (texts: Texts): readonly SummaryField[] => [
  ['assignee_id', texts('issueForm.assignee')],
  ['priority', texts('staff.priority')],
  ['request_type_id', texts('issue.type')],
  ['target_reason', texts('target.reason')],
  ['organization_id', texts('staff.transfer.organization')],
  ['reason', texts('staff.transfer.reason')],
  ['refusal', texts('staff.transfer.refusal')],
  ['duplicate_of', texts('issueForm.duplicateOf'), 'merge-into'],
  ['note', texts('staff.newNote')],
]

interface Context extends RejectedStaffForm {
  readonly view: IssueView
  readonly side: StaffSide
  readonly staff: StaffIssue
  readonly links: Links
  readonly texts: Texts
}

/** The part of the page that only staff see. It looks different from the public part, so that no note is written as a comment. */
export function staffSection(view: IssueView, links: Links, rejected: RejectedStaffForm): SafeHtml | string {
  const { staff: side, offer, isPublic, texts } = view
  if (!isPublic || (!side && !offer)) return ''
  return html`<section class="staff" id="staff" aria-labelledby="staff-name">
    <h2 id="staff-name">${texts('staff.heading')}</h2>
    <p class="quiet">${texts('staff.hint')}</p>
    ${offer ? offerPanel(view, offer, { ...rejected, links }) : ''}
    ${side ? staffSide({ view, side, staff: side.issue, links, texts, ...rejected }) : ''}
  </section>`
}

function staffSide(context: Context): SafeHtml {
  const { view, side, staff, links, errors, texts } = context
  const mayWork = staff.capabilities.includes('work_on_issues')
  // A member who can answer an offer gives the type with the acceptance.
  const forms = [assignForm(context), priorityForm(context), ...(view.offer?.mayAnswer ? [] : [typeForm(context)])]
  return html`${mayWork ? html`<div class="staff-forms">${forms}</div>` : ''}
    ${targetForm({ view, staff, action: links.to(`/issues/${view.issue.id}/target`), error: errors['target_reason'] })}
    ${mayWork ? handOnForms(view, side, context) : ''}
    ${noteList(context)}
    ${staffLog(view, side, texts)}`
}

interface SelectForm {
  readonly step: string
  readonly name: string
  readonly label: string
  readonly choices: readonly { readonly key: string; readonly name: string }[]
  readonly value: string
  readonly button?: string
}

function selectForm({ view, staff, links, texts, errors }: Context, { step, name, label, choices, value, button }: SelectForm) {
  const options = { hasDefault: true, isConditional: true, error: errors[name], language: view.texts.language } as const
  return actionForm({
    action: links.to(`/issues/${view.issue.id}/${step}`),
    hidden: { version: String(staff.version) },
    fields: selectField({ name, label, choices, value, ...options }),
    button: button ?? texts('staff.save'),
  })
}

/** An assignee who left the organisation stays selectable until another one is chosen. */
function assignForm(context: Context): SafeHtml {
  const { view, side, texts } = context
  const { viewer, issue } = view
  const { colleagues } = side
  const { assignee } = issue
  const candidates = assignee && !colleagues.some(({ id }) => id === assignee.id) ? [assignee, ...colleagues] : colleagues
  const choices = candidates.map(({ id, name }) => ({
    key: String(id),
    name: id === viewer?.id ? texts('issueForm.yourself', { name }) : name,
  }))
  return selectForm(context, {
    ...{ step: 'assignee', name: 'assignee_id', label: texts('issueForm.assignee'), button: texts('issueForm.assign') },
    choices: [{ key: '', name: texts('issueForm.unassigned') }, ...choices],
    value: String(assignee?.id ?? ''),
  })
}

const priorityForm = (context: Context): SafeHtml =>
  selectForm(context, {
    ...{ step: 'priority', name: 'priority', label: context.texts('staff.priority') },
    choices: priorities.map((priority) => ({ key: String(priority), name: priorityName(priority, context.texts) })),
    value: String(context.staff.priority),
  })

const typeForm = (context: Context): SafeHtml =>
  selectForm(context, {
    ...{ step: 'type', name: 'request_type_id', label: context.texts('issue.type') },
    choices: [
      ...toTypeChoices(context.side.types, context.view.texts.language),
      { key: 'other', name: context.texts('otherRequestType.title') },
    ],
    value: String(context.staff.request_type_id ?? 'other'),
  })

function noteList({ view, staff, links, values, errors }: Context): SafeHtml {
  const { issue, texts, viewer } = view
  const path = links.to(`/issues/${issue.id}/notes`)
  const rejectedId = readText(values, 'note_id')
  const field = (id: string, label: string, stored = '') => {
    const isRejected = errors['note'] !== undefined && rejectedId === id
    const text = isRejected ? { value: readText(values, 'note'), error: errors['note'] } : { value: stored }
    return textareaField({
      name: 'note',
      id: `note${id}`,
      label,
      required: true,
      maxlength: NOTE_MAX,
      language: texts.language,
      ...text,
      hint: texts('staff.newNoteHint'),
    })
  }
  const ownForms = (
    note_id: string,
    text: string,
  ) => html`<details${rejectedId === note_id ? html` open` : ''}><summary>${texts('staff.editNote')}</summary>
    ${actionForm({ action: `${path}/edit`, hidden: { note_id, note_version: noteVersion({ text }) }, fields: field(note_id, texts('staff.note'), text), button: texts('staff.save') })}
    ${actionForm({ action: `${path}/delete`, hidden: { note_id }, button: texts('staff.deleteNote'), kind: 'quiet' })}</details>`
  const notes = staff.notes.map(
    ({ id, text, author, created_at, edited_at }) => html`<li>
      <p class="quiet">${author?.name ?? texts('staff.formerMember')}, ${formatLocalTime(created_at, texts, issue)}${edited_at === null ? '' : html` · ${texts('staff.edited')}`}</p>
      <p class="text">${text}</p>
      ${author?.id === viewer?.id ? ownForms(String(id), text) : ''}
    </li>`,
  )
  return html`<h3>${texts('staff.notes', { count: notes.length })}</h3>
    ${notes.length > 0 ? html`<ol class="notes">${notes}</ol>` : ''}
    ${actionForm({ action: path, fields: field('', texts('staff.newNote')), button: texts('staff.addNote') })}`
}

interface TargetForm {
  readonly view: IssueView
  readonly staff: StaffIssue
  readonly action: string
  readonly error: FieldErrors[string] | undefined
}

/** Returns the target of an open issue in words and dates, with the form that pauses its clock or lets it run again; '' without a target. */
function targetForm({ view, staff, action, error }: TargetForm): SafeHtml | string {
  const { issue, texts } = view
  const { target } = staff
  const next = target && describeTarget(target, new Date(), texts.language)
  if (!target || !next) return ''
  const isPaused = target.paused_at !== null
  const times = (['acknowledge', 'close'] as const).flatMap((step) => {
    const at = target[`${step}_by`]
    return at === null
      ? []
      : [html`<br><span class="quiet">${texts(`target.steps.${step}`)} ${formatLocalDateTime(at, texts.language, issue)}</span>`]
  })
  const reason = inputField({
    name: 'target_reason',
    label: texts('target.reason'),
    ...{ maxlength: REASON_MAX, required: true, error, language: texts.language },
  })
  return html`<div class="staff-target">
    <h3>${texts('staff.kinds.target')}</h3>
    <p><span class="target ${next.state}">${next.words}</span>${target.reason === null ? '' : html` ${target.reason}`}${times}</p>
    ${
      staff.capabilities.includes('work_on_issues')
        ? actionForm({
            action,
            hidden: { version: String(staff.version), paused: String(!isPaused) },
            fields: isPaused ? '' : reason,
            button: texts(isPaused ? 'target.resume' : 'target.pause'),
          })
        : ''
    }
  </div>`
}
