import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'

/** Returns the named key, 256 random bits that all processes share. The first call creates it. */
export async function findSigningKey(db: Database, name: string): Promise<string> {
  const find = { where: { name }, select: { key: true } } as const
  const found = await db.prisma.signingKey.findUnique(find)
  if (found) return found.key
  const made = randomBytes(32).toString('base64url')
  await db.transaction((tx) => tx.prisma.signingKey.createMany({ data: { name, key: made }, skipDuplicates: true }))
  const { key } = await db.prisma.signingKey.findUniqueOrThrow(find)
  return key
}
