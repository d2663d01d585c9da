import { actionForm } from '../../html/action-form.ts'
import { type FieldErrors, inputField } from '../../html/fields.ts'
import { formatLocalDateTime } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { textsIn } from '../../locales/texts.ts'
import type { StaffIssue } from '../../staff/schema.ts'
import { REASON_MAX } from '../../staff/targets/schema.ts'
import { describeTarget, type DueTarget } from '../../staff/targets/describe-target.ts'
import type { IssueView } from './issue-view.ts'

type Target = NonNullable<StaffIssue['target']>

interface TargetForm {
  readonly view: IssueView
  readonly staff: StaffIssue
  readonly action: string
  readonly error: FieldErrors[string] | undefined
}

/** Returns the target of an open issue in words and dates, with the form that pauses its clock or lets it run again; '' without a target. */
export function targetForm({ view, staff, action, error }: TargetForm): SafeHtml | string {
  const { issue, language } = view
  const { target } = staff
  const next = target && findNext(issue, target)
  if (!target || !next) return ''
  const texts = textsIn(language)
  const { state, words } = describeTarget(next, new Date(), language)
  const isPaused = target.paused_at !== null
  const times = (['acknowledge', 'close'] as const).flatMap((step) => {
    const at = target[`${step}_by`]
    return at === null
      ? []
      : [html`<br><span class="quiet">${texts(`target.steps.${step}`)} ${formatLocalDateTime(at, language, issue)}</span>`]
  })
  const reason = inputField({
    name: 'target_reason',
    label: texts('target.reason'),
    ...{ maxlength: REASON_MAX, required: true, error, language },
  })
  return html`<div class="staff-target">
    <h3>${texts('staff.kinds.target')}</h3>
    <p><span class="target ${state}">${words}</span>${target.reason === null ? '' : html` ${target.reason}`}${times}</p>
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

/** Returns the earlier of the times that the issue still has to meet. */
function findNext({ status, acknowledged_at }: IssueView['issue'], target: Target): DueTarget | undefined {
  const { acknowledge_by, close_by, paused_at } = target
  const due = [
    ...(status === 'Open' && acknowledged_at === null && acknowledge_by !== null
      ? [{ due: 'acknowledge' as const, due_at: acknowledge_by }]
      : []),
    ...((status === 'Open' || status === 'Acknowledged') && close_by !== null ? [{ due: 'close' as const, due_at: close_by }] : []),
  ].toSorted((a, b) => a.due_at.localeCompare(b.due_at))
  return due[0] && { ...due[0], paused_at }
}
