import type { PrismaHandle } from '../../database/database.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { problems } from '../../errors/problems.ts'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { setDailyMail } from '../../notifications/unsubscribe-queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'

/** Returns the organisations of a user by name, and whether the user wants their daily mails. */
export async function listDailyMails(db: PrismaHandle, user_id: number) {
  const memberships = await db.prisma.organizationMember.findMany({
    where: { user_id },
    select: { daily_mail: true, organization: { select: { id: true, name: true } } },
    orderBy: [{ organization: { name: 'asc' } }, { organization_id: 'asc' }],
  })
  return memberships.map(({ daily_mail, organization }) => ({ ...organization, daily_mail }))
}
export type DailyMailSetting = Awaited<ReturnType<typeof listDailyMails>>[number]

const DailyMail = Type.Object(
  { daily_mail: Type.Boolean({ description: 'Whether you want it.', examples: [false] }) },
  { title: 'DailyMail' },
)

export const dailyMailRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  app.put(
    '/organizations/:id/daily_mail',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'setDailyMail',
        summary: 'Turn your daily mail of an organisation on or off',
        description:
          'For its members. The mail lists new, late and soon due issues and those assigned to you. It is on by default.',
        tags: ['Organisations'],
        params: OrganizationParams,
        body: DailyMail,
        response: { 200: DailyMail, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const membership = { organization_id: request.params.id, user_id: requireViewer(request).id }
      if (!(await db.prisma.organization.findUnique({ where: { id: membership.organization_id }, select: { id: true } })))
        throw problems.notFound('the_organization')
      const { daily_mail } = request.body
      if (!(await db.transaction((tx) => setDailyMail(tx, membership, daily_mail))))
        throw problems.notPermitted(text('members_only'))
      return { daily_mail }
    },
  )
}
