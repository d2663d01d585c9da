import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import type { Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { type FieldErrors } from '../../html/fields.ts'
import { type FormValues, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage, pageTexts } from '../../http/errors/text-language.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import { type MemberRole, memberRoles } from '../../http/identity/roles.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { idMax, readMailbox, stringEnum } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { listMembers } from '../../organizations/member-queries.ts'
import { changeRole, invite, removeMember, withdrawInvitation } from '../../organizations/members.ts'
import { lockMemberships, requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { doneKeys, type DoneKey, membersPage, membersPath } from './members-page.ts'

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
  app.addHook(
    'onRequest',
    requirePageLogin(urls, ({ params }) => `/organizations/${(params as { readonly id: string }).id}/manage/members`),
  )

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
