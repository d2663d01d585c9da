import { actionForm } from '../../html/action-form.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import { type FormValues, readText } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import { formatLocalTime } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../locales/texts.ts'
import type { OfferSide, StaffSide, TypeChoice } from '../../staff/staff-side.ts'
import { TRANSFER_TEXT_MAX } from '../../staff/transfers/schema.ts'
import type { IssueView } from './issue-view.ts'

/** The form of the staff side that was rejected, if one was. */
export interface RejectedStaffForm {
  readonly values: FormValues
  readonly errors: FieldErrors
}

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
