import Type from 'typebox'

import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { isSharedHost } from './shared-hosts.ts'
import { parseLinks } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'

/** Stores the hosts of approved links, except shared hosts, or deletes the hosts of a rejected text. */
export async function updateApprovedHosts(
  tx: Transaction,
  texts: readonly string[],
  decision: 'approved' | 'rejected',
): Promise<void> {
  const links = texts.flatMap((text) => parseLinks(plainText(text))).filter((link) => link !== undefined)
  const linkedHosts = [...new Set(links.map(({ host }) => host))].sort()
  const hosts = decision === 'approved' ? linkedHosts.filter((host) => !isSharedHost(host)) : linkedHosts
  if (hosts.length === 0) return
  if (decision === 'rejected') {
    await tx.prisma.moderationHost.deleteMany({ where: { host: { in: hosts } } })
  } else {
    await tx.prisma.moderationHost.createMany({ data: hosts.map((host) => ({ host })), skipDuplicates: true })
  }
}

const HostRow = Type.Object({ host: Type.String() })

/** Returns the hosts that a moderator approved and none rejected since. */
export async function filterApprovedHosts(db: Queryable, hosts: readonly string[]): Promise<string[]> {
  // The list of excluded hosts may have grown since a host was approved.
  const candidates = hosts.filter((host) => !isSharedHost(host))
  const rows = await db.query(
    HostRow,
    sql`
      SELECT h.host FROM moderation_hosts h WHERE h.host = ANY(${candidates}::text[]) ORDER BY h.host`,
  )
  return rows.map(({ host }) => host)
}
