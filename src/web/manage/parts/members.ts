import Type from 'typebox'

import { problems } from '../../../errors/problems.ts'
import { assignableRoles, mayIn } from '../../../http/identity/capabilities.ts'
import type { MemberRole } from '../../../http/identity/roles.ts'
import { changeRole, invite, listMembers, removeMember, withdrawInvitation } from '../../../organizations/members.ts'
import { EmailAddressWithDomain } from '../../../http/schema/mailbox.ts'
import { type MemberList, NewInvitation, RoleChange } from '../../../organizations/schema.ts'
import type { FormField, Part, PartContext } from './part.ts'

const read = ({ db, organization: { id }, viewer }: PartContext) => listMembers(db, id, mayIn(viewer, 'manage_members', id))

const rolesOf = ({ viewer, organization }: PartContext) => assignableRoles(viewer, organization.id)

const roleField = (context: PartContext): FormField => {
  const { texts } = context
  const choices = rolesOf(context).map((role) => ({
    key: role,
    name: texts('members.roleOption', { role: texts(`roles.${role}`), hint: texts(`members.roleHints.${role}`) }),
  }))
  return { path: 'role', kind: 'select', label: texts('members.role'), required: true, choices }
}

/** All members see the list. They may end their own membership. */
export const members: Part<MemberList['members'][number]> = {
  ...{ name: 'members', path: 'members', capability: 'read_issues', schema: RoleChange },
  list: async (context) => (await read(context)).members,
  describe: ({ name, role }, { texts }) => ({ title: name, details: texts(`roles.${role}`) }),
  fields: (context) => Promise.resolve([roleField(context)]),
  allows: (step, item, context) =>
    item !== undefined && (rolesOf(context).includes(item.role) || (step === 'remove' && item.id === context.viewer.id)),
  save: (tx, { viewer, organization }, id, body) => {
    if (id === undefined) throw problems.notFound('the_member')
    return changeRole(tx, viewer, organization.id, id, (body as { readonly role: MemberRole }).role)
  },
  remove: (tx, { viewer, organization }, id) => removeMember(tx, viewer, organization.id, id),
  removeText: ({ id }, { viewer, texts }) => texts(id === viewer.id ? 'members.leave' : 'members.remove'),
}

const InvitationForm = Type.Object({ ...NewInvitation.properties, email: EmailAddressWithDomain })

/** Invitations without an answer. Another one to the same address changes its role and sends another mail. */
export const invitations: Part<MemberList['invitations'][number]> = {
  ...{ name: 'invitations', path: 'invitations', capability: 'manage_members', schema: InvitationForm, saved: 'invited' },
  list: async (context) => (await read(context)).invitations,
  describe: ({ email, role }, { texts }) => ({ title: email, details: texts(`roles.${role}`) }),
  fields: (context) =>
    Promise.resolve([
      {
        path: 'email',
        kind: 'email',
        label: context.texts('members.email'),
        required: true,
        hint: context.texts('members.emailHint'),
      },
      roleField(context),
    ]),
  allows: (step, item, context) =>
    item === undefined ? step === 'save' : step === 'remove' && rolesOf(context).includes(item.role),
  save: (tx, { viewer, organization, texts }, id, body) => {
    if (id !== undefined) throw problems.notFound('the_invitation')
    const invitation = body as { readonly email: string; readonly role: MemberRole }
    return invite(tx, viewer, { ...invitation, organization_id: organization.id, locale: texts.language })
  },
  remove: (tx, { viewer, organization }, id) => withdrawInvitation(tx, viewer, organization.id, id),
  removeText: (_, { texts }) => texts('members.withdraw'),
}
