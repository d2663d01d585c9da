import type { Point } from '../../geo/shapes.ts'
import { actionForm, createForm, readText, type FormState } from '../../html/form.ts'
import { formatLocalTime, writeLocalDateTime } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { LogKind } from '../../issue-lifecycle/log-queries.ts'
import { statusName, type Status } from '../../issue-lifecycle/status.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { priorities, StaffIssue } from '../../staff/schema.ts'
import type { OfferSide, StaffSide, TypeChoice } from '../../staff/staff-side.ts'
import { TRANSFER_TEXT_MAX } from '../../staff/transfers/schema.ts'
import { parseActionPath } from './act-on-login.ts'
import type { IssueView } from './issue-view.ts'

/** The form of the staff side that was rejected, if one was. */
export type RejectedStaffForm = Required<FormState>

type Forms = RejectedStaffForm & { readonly links: Links }

const WORDS = { required: true, maxlength: TRANSFER_TEXT_MAX } as const

/** The open offer of the issue, with the two answers for those who may give them. */
export function offerPanel(
  view: IssueView,
  { transfer, mayAnswer, mayWithdraw, types }: OfferSide,
  { links, ...rejected }: Forms,
): SafeHtml {
  const { issue, texts } = view
  const { id, from, to, reason, offered_by, offered_at, request_type_id, version } = transfer
  const action = (step: string) => links.to(`/issues/${issue.id}/transfer/${step}`)
  const hidden = { version: String(version), transfer_id: String(id) }
  const [from_name, by] = [from?.name ?? '–', offered_by?.name ?? texts('staff.formerMember')]
  const form = createForm(texts.language, rejected)
  const type = form.select('request_type_id', texts('staff.transfer.newType'), {
    choices: toTypeChoices(types, texts.language),
    required: true,
    value: readText(rejected.values, 'request_type_id') || String(request_type_id ?? ''),
  })
  const refusal = form.input('refusal', texts('staff.transfer.refusal'), { hint: texts('staff.transfer.reasonHint'), ...WORDS })
  return html`<div class="offer"><h3>${texts('staff.transfer.offered', { from: from_name, to: to.name })}</h3>
    <p class="quiet">${by}, ${formatLocalTime(offered_at, texts, issue)}</p>
    ${reason === null ? '' : html`<p class="text">${reason}</p>`}
    ${
      mayAnswer
        ? html`<div class="staff-forms">
      ${actionForm({ action: action('accept'), hidden, fields: type, button: texts('staff.transfer.accept'), kind: '' })}
      ${actionForm({ action: action('refuse'), hidden, fields: refusal, button: texts('staff.transfer.refuse') })}
    </div>`
        : html`<p>${texts('staff.transfer.waits', { to: to.name })}</p>`
    }${mayWithdraw ? actionForm({ action: action('withdraw'), hidden, button: texts('staff.transfer.withdraw') }) : ''}</div>`
}

/** The forms that give an issue away: to another organisation, or to the issue that it repeats. */
export function handOnForms(view: IssueView, { issue: staff, receivers, merged_into }: StaffSide, forms: Forms): SafeHtml {
  const { issue, offer, texts } = view
  const { values, errors, links } = forms
  const action = (step: string) => links.to(`/issues/${issue.id}/${step}`)
  const hidden = { version: String(staff.version) }
  const isOpen = issue.status === 'Open' || issue.status === 'Acknowledged'
  const form = createForm(texts.language, { values, errors })
  const details = (title: string, names: readonly string[], content: SafeHtml) =>
    html`<details${names.some((name) => errors[name]) ? html` open` : ''}><summary>${title}</summary>${content}</details>`
  const transfer = [
    form.select('organization_id', texts('staff.transfer.organization'), {
      choices: receivers.map(({ id, name }) => ({ key: String(id), name })),
      required: true,
    }),
    form.textarea('reason', texts('staff.transfer.reason'), { hint: texts('staff.transfer.reasonHint'), ...WORDS }),
  ]
  const duplicate = { id: 'merge-into', hint: texts('staff.merge.hint'), maxlength: 10, required: true } as const
  return html`${
    isOpen && !offer && receivers.length > 0
      ? details(
          texts('staff.transfer.title'),
          ['organization_id', 'reason'],
          actionForm({ action: action('transfer'), hidden, fields: transfer, button: texts('staff.transfer.offer') }),
        )
      : ''
  }${
    merged_into === null
      ? isOpen
        ? details(
            texts('staff.merge.title'),
            ['duplicate_of'],
            actionForm({
              action: action('merge'),
              hidden,
              fields: form.input('duplicate_of', texts('issueForm.duplicateOf'), duplicate),
              button: texts('staff.merge.merge'),
            }),
          )
        : ''
      : html`<p>${texts('staff.merge.merged', { number: `#${merged_into}` })}</p>
        ${actionForm({ action: action('unmerge'), hidden, button: texts('staff.merge.unmerge') })}`
  }`
}

/** The “Other” of an organisation is named with it: the list has that of the community, too. */
export const toTypeChoices = (types: readonly TypeChoice[], language: Language) =>
  types.map(({ id, title, translations, is_other, organization }) => {
    const texts = translations as Readonly<Record<string, { readonly title?: string }>> | null
    const name = texts?.[language]?.title ?? title
    return { key: String(id), name: is_other && organization ? `${name} · ${organization.name}` : name }
  })

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

/** Says what the login does besides the login. */
export function actionNote(return_to: string, texts: Texts): SafeHtml | string {
  const requested = parseActionPath(return_to)
  if (!requested) return ''
  return html`<p class="note">${texts(`login.first.${requested.action}`, { number: `#${requested.issue_id}` })}</p>`
}
