import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { requireMatch, withEtag } from '../http/request/version-header.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import {
  acceptInvitation,
  changeRole,
  declineInvitation,
  INVITATIONS_MAX,
  invite,
  removeMember,
  withdrawInvitation,
  listInvitations,
  listMembers,
} from './members.ts'
import { lockMemberships, requireOrganizationCapability } from './queries.ts'
import {
  InvitationList,
  InvitationParams,
  MemberList,
  MemberParams,
  NewInvitation,
  OrganizationInvitationParams,
  OrganizationParams,
  RoleChange,
} from './schema.ts'

/** Changes of roles compare these with `If-Match`. */
const toRoles = ({ members }: Static<typeof MemberList>) =>
  members.toSorted((one, other) => one.id - other.id).map(({ id, role }) => [id, role])

const writes = failsWith(400, 404, 413, 415, 422)

export const memberRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  tagRoutes(app, 'Organisations')
  app.addHook('onRequest', requireLogin)
  app.get(
    '/organizations/:id/members',
    {
      schema: {
        operationId: 'listMembers',
        summary: 'List the members of an organisation',
        description:
          'For its members. Invitations, with their addresses, are for those with the capability `manage_members`; for all others the list is empty. Its ETag is `If-Match` of a change of a role.',
        params: OrganizationParams,
        response: { 200: MemberList, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { id } = request.params
      await requireOrganizationCapability(db, id, viewer, 'read_issues')
      const list = await listMembers(db, id, mayIn(viewer, 'manage_members', id))
      return withEtag(reply, list, toRoles(list))
    },
  )

  app.put(
    '/organizations/:id/members/:user_id',
    {
      schema: {
        operationId: 'changeRole',
        summary: 'Change the role of a member',
        description:
          'With `If-Match`. Needs `manage_members`; `manage_organization` if the former or the new role is owner. The last owner keeps the role.',
        params: MemberParams,
        body: RoleChange,
        response: { 200: MemberList, ...failsWith(400, 404, 412, 413, 415, 422, 428) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { id, user_id } = request.params
      await requireOrganizationCapability(db, id, viewer, 'manage_members')
      await db.transaction(async (tx) => {
        await lockMemberships(tx)
        requireMatch(request, toRoles(await listMembers(tx, id, false)))
        await changeRole(tx, viewer, id, user_id, request.body.role)
      })
      return listMembers(db, id, true)
    },
  )

  addDeletion(app, {
    path: '/organizations/:id/members/:user_id',
    operationId: 'removeMember',
    summary: 'End a membership',
    description: 'Your own, or with the rights of `changeRole` that of another member.',
    params: MemberParams,
    done: 'The membership has ended.',
    async act(viewer, { id, user_id }) {
      await requireOrganizationCapability(db, id, viewer, user_id === viewer.id ? 'read_issues' : 'manage_members')
      await db.transaction((tx) => removeMember(tx, viewer, id, user_id))
    },
  })

  app.post(
    '/organizations/:id/invitations',
    {
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite a member by e-mail',
        description: `The owner of the address becomes a member by accepting, or by confirming the address. The answer is the same whether or not the address has an account. At most ${INVITATIONS_MAX} invitations wait at a time. Needs the rights of \`changeRole\`.`,
        params: OrganizationParams,
        body: NewInvitation,
        response: { 201: MemberList, ...writes },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { id } = request.params
      await requireOrganizationCapability(db, id, viewer, 'manage_members')
      const invitation = { ...request.body, organization_id: id, locale: preferredLocale(request) ?? 'en' }
      await idempotent(request, db, async (tx) => ({ id: await invite(tx, viewer, invitation) }))
      return reply.code(201).send(await listMembers(db, id, true))
    },
  )

  addDeletion(app, {
    path: '/organizations/:id/invitations/:invitation_id',
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description: 'Needs the rights of `changeRole`.',
    params: OrganizationInvitationParams,
    done: 'The invitation is withdrawn.',
    async act(viewer, { id, invitation_id }) {
      await requireOrganizationCapability(db, id, viewer, 'manage_members')
      await db.transaction((tx) => withdrawInvitation(tx, viewer, id, invitation_id))
    },
  })

  app.get(
    '/invitations',
    {
      schema: {
        operationId: 'listInvitations',
        summary: 'List your invitations to organisations',
        description: 'Those to your confirmed addresses.',
        response: { 200: InvitationList, ...failsWith() },
      },
    },
    async (request) => ({ invitations: await listInvitations(db, requireViewer(request)) }),
  )

  app.post(
    '/invitations/:id/accept',
    {
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description: 'Takes no body. You become a member at once.',
        params: InvitationParams,
        response: { 201: InvitationList, ...writes },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { id } = request.params
      await idempotent(request, db, async (tx) => ({ id: await acceptInvitation(tx, viewer, id) }))
      return reply.code(201).send({ invitations: await listInvitations(db, viewer) })
    },
  )

  addDeletion(app, {
    path: '/invitations/:id',
    operationId: 'declineInvitation',
    summary: 'Decline an invitation',
    description: 'The organisation may invite you again.',
    params: InvitationParams,
    done: 'The invitation is declined.',
    act: (viewer, { id }) => db.transaction((tx) => declineInvitation(tx, viewer, id)),
  })
}
