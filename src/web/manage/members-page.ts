import { actionForm, createForm, readText, type FormValues } from '../../html/form.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { assignableRoles } from '../../http/identity/capabilities.ts'
import type { MemberRole } from '../../http/identity/roles.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import type { Texts } from '../../locales/texts.ts'
import type { MemberList } from '../../organizations/schema.ts'

export const doneKeys = ['invited', 'changed', 'removed', 'withdrawn'] as const
export type DoneKey = (typeof doneKeys)[number]

interface MembersPage extends MemberList {
  readonly id: number
  readonly name: string
  readonly viewer: Viewer
  readonly done: DoneKey | undefined
  readonly values: FormValues
  readonly errors: FieldErrors
}

export const membersPath = (id: number) => `/organizations/${id}/manage/members`

export function membersPage(page: MembersPage, links: Links, texts: Texts): HtmlPage {
  const { id, name, viewer, members, invitations, done, values, errors } = page
  const roles = assignableRoles(viewer, id)
  const path = links.to(membersPath(id))
  const title = texts('members.title', { organization: name })
  const form = createForm(texts.language, { values, errors })
  const choices = roles.map((role) => ({
    key: role,
    name: texts('members.roleOption', { role: texts(`roles.${role}`), hint: texts(`members.roleHints.${role}`) }),
  }))
  const role = { choices, value: readText(values, 'role') || 'employee', hasDefault: true, required: true } as const
  const invitation = html`${form.input('email', texts('members.email'), { type: 'email', autocomplete: 'off', required: true })}
    ${form.select('role', texts('members.role'), role)}`
  const button = (step: string, fields: SafeHtml, action: string, of: string) =>
    html`<form method="post" action="${path}/${step}">${fields}<button class="second" aria-label="${texts('members.actionLabel', { action, name: of })}">${action}</button></form>`
  const memberRow = (member: MemberList['members'][number]) => {
    const isOwn = member.id === viewer.id
    const mayChange = roles.includes(member.role)
    const user = hiddenField('user_id', String(member.id))
    return html`<tr><th scope="row">${member.name}</th>
      <td>${mayChange ? roleForm(member, roles, `${path}/role`, texts) : texts(`roles.${member.role}`)}</td>
      <td>${mayChange || isOwn ? button('remove', user, texts(isOwn ? 'members.leave' : 'members.remove'), member.name) : ''}</td></tr>`
  }
  const invitationRow = ({ id: invitationId, email, role }: MemberList['invitations'][number]) =>
    html`<li><span>${email} <span class="quiet">${texts(`roles.${role}`)}</span></span>
      ${roles.includes(role) ? button('withdraw', hiddenField('invitation_id', String(invitationId)), texts('members.withdraw'), email) : ''}</li>`
  const body = html`<h1>${title}</h1>
    ${done ? html`<p class="done" role="status">${texts(`members.done.${done}`)}</p>` : ''}
    ${form.errorSummary()}
    <p class="quiet">${texts('members.membersHint')}</p>
    <div class="data"><table>
      <thead><tr><th scope="col">${texts('members.name')}</th><th scope="col">${texts('members.role')}</th><th></th></tr></thead>
      <tbody>${members.map(memberRow)}</tbody>
    </table></div>
    ${invitations.length > 0 ? html`<h2>${texts('members.invitations')}</h2><ul class="rows">${invitations.map(invitationRow)}</ul>` : ''}
    ${
      roles.length > 0
        ? html`<section class="narrow"><h2>${texts('members.invite')}</h2><p class="quiet">${texts('members.inviteHint')}</p>
      ${actionForm({ action: `${path}/invite`, fields: invitation, button: texts('members.send'), kind: '' })}</section>`
        : ''
    }`
  return { title, description: texts('members.description'), body }
}

function roleForm(
  { id, name, role }: MemberList['members'][number],
  roles: readonly MemberRole[],
  action: string,
  texts: Texts,
): SafeHtml {
  const options = roles.map(
    (one) => html`<option value="${one}"${one === role ? html` selected` : ''}>${texts(`roles.${one}`)}</option>`,
  )
  return html`<form class="inline" method="post" action="${action}">${hiddenField('user_id', String(id))}${hiddenField('version', role)}
    <select name="role" aria-label="${texts('members.actionLabel', { action: texts('members.role'), name })}">${options}</select>
    <button class="second" aria-label="${texts('members.actionLabel', { action: texts('members.change'), name })}">${texts('members.change')}</button>
  </form>`
}
