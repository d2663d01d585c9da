import type { Point } from '../../geo/point.ts'
import { formatLocalTime, writeLocalDateTime } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { LogKind } from '../../issue-lifecycle/log-queries.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { priorities, StaffIssue } from '../../staff/schema.ts'
import type { StaffSide } from '../../staff/staff-side.ts'
import type { IssueView } from './issue-view.ts'

/** Returns all changes of the issue, newest first; '' without any. */
export function staffLog(view: IssueView, side: StaffSide, texts: Texts): SafeHtml | string {
  const { issue: staff } = side
  if (staff.log.length === 0) return ''
  const entries = staff.log.map(
    (entry) =>
      html`<li>${formatLocalTime(entry.at, view.texts, view.issue)} · ${entry.actor?.name ?? texts('staff.automatic')}: ${describeChange(entry, side, view)}</li>`,
  )
  return html`<details><summary>${texts('staff.log', { count: entries.length })}</summary><ol class="log">${entries}</ol></details>`
}

type Values = Readonly<Record<string, unknown>>
/** Times are in the time zone of the point. */
type Describe = (values: Values, names: StaffSide['names'], language: Language, point: Point) => string

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
  target: ({ acknowledge_by, close_by, paused, reason }, _, language, point) => {
    const texts = textsIn(language)
    const times = [['acknowledge', acknowledge_by] as const, ['close', close_by] as const].flatMap(([step, at]) =>
      typeof at === 'string' ? [texts(`target.by.${step}`, { time: writeLocalDateTime(at, texts, point) })] : [],
    )
    const entry = paused === true ? texts('target.paused') : times.join(', ') || texts('target.none')
    return typeof reason === 'string' ? `${entry}: ${reason}` : entry
  },
  transfer: ({ organization_id, state, reason, refusal }, { organizations }, language) => {
    const texts = textsIn(language)
    const name = organizations.get(Number(organization_id)) ?? '–'
    if (typeof state !== 'string') return name
    const why = reason ?? refusal
    const entry = texts(`staff.transferStates.${state as 'offered' | 'accepted' | 'refused' | 'withdrawn'}`, { name })
    return typeof why === 'string' ? `${entry}: ${why}` : entry
  },
}

function describeChange(
  { kind, before, after }: StaffIssue['log'][number],
  { names }: StaffSide,
  { texts, issue }: IssueView,
): string {
  if (kind === 'report') return texts('staff.kinds.report')
  const describe = describeValue[kind]
  if (!describe) return kind
  const value = (values: object | null) => describe((values ?? {}) as Values, names, texts.language, issue)
  return texts('staff.change', {
    what: texts(`staff.kinds.${kind as LogKind | 'status'}`),
    before: value(before),
    after: value(after),
  })
}

export const priorityName = (priority: number, texts: Texts): string =>
  texts(`staff.priorities.${priority as (typeof priorities)[number]}`)
