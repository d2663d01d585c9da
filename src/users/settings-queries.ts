import type { PrismaHandle } from '../database/database.ts'

export interface Settings {
  readonly name: string
  readonly locale: string
  readonly share_location: boolean
  /** False turns off all notifications: mails about issues, questions and watch areas, digests included. */
  readonly issue_mails: boolean
  readonly place_url_name: string | null
  /** The full size is used until the square one exists. */
  readonly avatar_square: string | null
}

export async function findSettings(db: PrismaHandle, id: number): Promise<Settings | undefined> {
  const own = { name: true, locale: true, share_location: true, issue_mails: true, avatar_square: true, avatar_full: true }
  const found = await db.prisma.user.findUnique({ where: { id }, select: { ...own, home_place: { select: { url_name: true } } } })
  if (!found) return undefined
  const { home_place, avatar_full, ...settings } = found
  return { ...settings, place_url_name: home_place?.url_name ?? null, avatar_square: settings.avatar_square ?? avatar_full }
}
