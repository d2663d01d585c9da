import type { PrismaHandle } from '../database/database.ts'

/**
 * Returns what a user has set. `issue_mails` false turns off all notifications: mails about issues, questions and watch areas, digests included. The full
 * size of the avatar is used until the square one exists.
 */
export async function findSettings(db: PrismaHandle, id: number) {
  const own = { name: true, locale: true, share_location: true, issue_mails: true, avatar_square: true, avatar_full: true }
  const found = await db.prisma.user.findUnique({ where: { id }, select: { ...own, home_place: { select: { url_name: true } } } })
  if (!found) return undefined
  const { home_place, avatar_full, ...settings } = found
  return { ...settings, place_url_name: home_place?.url_name ?? null, avatar_square: settings.avatar_square ?? avatar_full }
}

export type Settings = NonNullable<Awaited<ReturnType<typeof findSettings>>>
