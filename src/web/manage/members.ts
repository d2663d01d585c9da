import {
  actionForm,
  createForm,
  readText,
  type FormValues,
  toFormValues,
  translateErrors,
  validationErrorsFrom,
} from '../../html/form.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import { type Links, createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { assignableRoles, mayIn } from '../../http/identity/capabilities.ts'
import { type MemberRole, memberRoles } from '../../http/identity/roles.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { type Texts, text } from '../../locales/texts.ts'
import { type MemberList, OrganizationParams } from '../../organizations/schema.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage, pageTexts } from '../../http/errors/text-language.ts'
import { idMax, readMailbox, stringEnum } from '../../http/schema/fields.ts'
import { listMembers, changeRole, invite, removeMember, withdrawInvitation } from '../../organizations/members.ts'
import { lockMemberships, requireOrganizationCapability } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'

const doneKeys = ['invited', 'changed', 'removed', 'withdrawn'] as const
type DoneKey = (typeof doneKeys)[number]

interface MembersPage extends MemberList {
  readonly id: number
  readonly name: string
  readonly viewer: Viewer
  readonly done: DoneKey | undefined
  readonly values: FormValues
  readonly errors: FieldErrors
}

const membersPath = (id: number) => `/organizations/${id}/manage/members`

function membersPage(page: MembersPage, links: Links, texts: Texts): HtmlPage {
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

interface Action {
  readonly done: DoneKey
  readonly act: (tx: Transaction, by: Viewer, organizationId: number, values: FormValues, language: string) => Promise<unknown>
}

const actions: Readonly<Record<string, Action>> = {
  role: {
    done: 'changed',
    act: async (tx, by, organization_id, values) => {
      await lockMemberships(tx)
      const user_id = readId(values, 'user_id')
      const member = await tx.prisma.organizationMember.findFirst({ where: { organization_id, user_id } })
      if (member && member.role !== readText(values, 'version')) throw problems.invalid({ base: text('form_changed_meanwhile') })
      await changeRole(tx, by, organization_id, user_id, readRole(values))
    },
  },
  remove: { done: 'removed', act: (tx, by, id, values) => removeMember(tx, by, id, readId(values, 'user_id')) },
  invite: {
    done: 'invited',
    act: (tx, by, organization_id, values, locale) =>
      invite(tx, by, { organization_id, email: readEmail(values), role: readRole(values), locale }),
  },
  withdraw: { done: 'withdrawn', act: (tx, by, id, values) => withdrawInvitation(tx, by, id, readId(values, 'invitation_id')) },
}

function readEmail(values: FormValues): string {
  const email = readMailbox(readText(values, 'email'))
  if (email === undefined) throw problems.invalid({ email: text('must_be', { allowed: text('email_address') }) })
  return email
}

/** Ids are in hidden fields, so that only a changed form has a wrong one: 0 is the id of no row. */
function readId(values: FormValues, field: string): number {
  const value = readText(values, field)
  return /^[1-9]\d{0,9}$/.test(value) && Number(value) <= idMax ? Number(value) : 0
}

function readRole(values: FormValues): MemberRole {
  const role = memberRoles.find((one) => one === readText(values, 'role'))
  if (!role) throw problems.invalid({ role: text('must_be', { allowed: text('one_of', { values: memberRoles.join(', ') }) }) })
  return role
}

/** The members of an organisation. All members see the list; the forms are for those who manage members. */
export const memberPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.addHook('onRequest', requirePageLogin(urls, '/organizations/:id/manage/members'))

  const Query = Type.Object({ done: Type.Optional(stringEnum(doneKeys)) })
  app.get(
    '/organizations/:id/manage/members',
    { schema: { params: OrganizationParams, querystring: Query } },
    async (request, reply) => sendMembers(request, reply, request.params.id, { done: request.query.done, values: {}, errors: {} }),
  )

  for (const [step, { done, act }] of Object.entries(actions)) {
    app.post(`/organizations/:id/manage/members/${step}`, { schema: { params: OrganizationParams } }, async (request, reply) => {
      const { id } = request.params as { readonly id: number }
      const viewer = requireViewer(request)
      const values = toFormValues(request.body)
      await requireOrganizationCapability(db, id, viewer, 'read_issues')
      try {
        await db.transaction((tx) => act(tx, viewer, id, values, pageLanguage(request)))
        const hasLeft = step === 'remove' && readId(values, 'user_id') === viewer.id
        return await seeOther(reply, urls, hasLeft ? '/work' : `${membersPath(id)}?done=${done}`)
      } catch (error) {
        const errors = translateErrors(request, validationErrorsFrom(error))
        return sendMembers(request, reply.code(422), id, { done: undefined, values, errors })
      }
    })
    app.get(`/organizations/:id/manage/members/${step}`, { schema: { params: OrganizationParams } }, async (request, reply) =>
      seeOther(reply, urls, membersPath((request.params as { readonly id: number }).id)),
    )
  }

  async function sendMembers(
    request: FastifyRequest,
    reply: FastifyReply,
    id: number,
    form: { readonly done: DoneKey | undefined; readonly values: FormValues; readonly errors: FieldErrors },
  ) {
    const viewer = requireViewer(request)
    await requireOrganizationCapability(db, id, viewer, 'read_issues')
    const texts = pageTexts(request)
    const [{ name }, list] = await Promise.all([
      db.prisma.organization.findUniqueOrThrow({ where: { id }, select: { name: true } }),
      listMembers(db, id, mayIn(viewer, 'manage_members', id)),
    ])
    return sendPrivatePage(request, reply, urls, membersPage({ id, name, viewer, ...list, ...form }, createLinks(urls), texts))
  }
}
