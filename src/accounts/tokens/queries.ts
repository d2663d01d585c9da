import type { Token } from '../../../prisma/generated/client.ts'
import type { Database, PrismaHandle } from '../../database/database.ts'
import { lockVerifiedAccount, type VerifiedAccount } from '../../http/identity/viewer-queries.ts'

export type TokenRow = Pick<Token, keyof typeof select>

const select = { id: true, name: true, created_at: true, expires_at: true } as const

/** The limit exposes clients that create a token at every start. */
export const TOKENS_MAX = 100

/** Returns `ended` if the password changed after its verification. */
export function addToken(
  db: Database,
  owner: VerifiedAccount,
  token: { readonly token_hash: string; readonly name: string | null; readonly expires_at: string | null },
): Promise<TokenRow | 'ended' | 'too many'> {
  return db.transaction(async (tx) => {
    if (!(await lockVerifiedAccount(tx, owner))) return 'ended'
    await tx.prisma.token.deleteMany({ where: { user_id: owner.id, expires_at: { lt: new Date() } } })
    if ((await tx.prisma.token.count({ where: { user_id: owner.id, kind: 'token' } })) >= TOKENS_MAX) return 'too many'
    return tx.prisma.token.create({ data: { user_id: owner.id, ...token }, select })
  })
}

export const listTokens = (db: PrismaHandle, user_id: number): Promise<TokenRow[]> =>
  db.prisma.token.findMany({
    where: { user_id, kind: 'token', OR: [{ expires_at: null }, { expires_at: { gt: new Date() } }] },
    select,
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  })

export async function removeToken(db: Database, owner: number, id: number): Promise<boolean> {
  const { count } = await db.transaction((tx) => tx.prisma.token.deleteMany({ where: { id, user_id: owner, kind: 'token' } }))
  return count > 0
}
