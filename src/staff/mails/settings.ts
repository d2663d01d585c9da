import type { PrismaHandle } from '../../database/database.ts'

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
