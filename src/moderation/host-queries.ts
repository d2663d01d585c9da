import Type from 'typebox'

import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { isOfEverybody } from './hosts-of-everybody.ts'
import { linksOf } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'

/**
 * Stores the hosts of links that a moderator approved, except hosts with content of arbitrary users, or deletes the hosts of a
 * rejected text.
 */
export async function keepHosts(tx: Transaction, texts: readonly string[], which: 'let through' | 'no longer'): Promise<void> {
  const links = texts.flatMap((text) => linksOf(plainText(text))).filter((link) => link !== undefined)
  const found = [...new Set(links.map(({ host }) => host))].sort()
  const hosts = which === 'let through' ? found.filter((host) => !isOfEverybody(host)) : found
  if (hosts.length === 0) return
  if (which === 'no longer') {
    await tx.prisma.moderationHost.deleteMany({ where: { host: { in: hosts } } })
  } else {
    await tx.prisma.moderationHost.createMany({ data: hosts.map((host) => ({ host })), skipDuplicates: true })
  }
}

const HostRow = Type.Object({ host: Type.String() })

/** Returns those of the hosts that a moderator approved and none rejected since. */
export async function hostsLetThrough(db: Queryable, hosts: readonly string[]): Promise<string[]> {
  // The list of excluded hosts may have grown since a host was approved.
  const asked = hosts.filter((host) => !isOfEverybody(host))
  const rows = await db.query(
    HostRow,
    sql`
      SELECT h.host FROM moderation_hosts h WHERE h.host = ANY(${asked}::text[]) ORDER BY h.host`,
  )
  return rows.map(({ host }) => host)
}
