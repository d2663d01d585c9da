import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { isOfEverybody } from './hosts-of-everybody.ts'
import { linksOf } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'

/**
 * Remembers the hosts of links that a moderator let through, but those where everybody has pages, or forgets those that stood in what was
 * rejected.
 */
export async function keepHosts(tx: Transaction, texts: readonly string[], which: 'let through' | 'no longer'): Promise<void> {
  const links = texts.flatMap((text) => linksOf(plainText(text))).filter((link) => link !== undefined)
  const found = [...new Set(links.map(({ host }) => host))].sort()
  const hosts = which === 'let through' ? found.filter((host) => !isOfEverybody(host)) : found
  if (hosts.length === 0) return
  if (which === 'no longer') {
    await tx.query(sql`DELETE FROM moderation_hosts h WHERE h.host = ANY(${hosts}::text[]) RETURNING h.host`)
  } else {
    await tx.query(sql`
      INSERT INTO moderation_hosts (host) SELECT given.host FROM unnest(${hosts}::text[]) AS given (host) ORDER BY given.host
      ON CONFLICT DO NOTHING RETURNING moderation_hosts.host`)
  }
}

/** Of these hosts, those that a moderator let through and none rejected since. */
export async function hostsLetThrough(db: Queryable, hosts: readonly string[]): Promise<string[]> {
  // The list may know more of them than when one was let through.
  const asked = hosts.filter((host) => !isOfEverybody(host))
  const rows = await db.query<{ host: string }>(sql`
    SELECT h.host FROM moderation_hosts h WHERE h.host = ANY(${asked}::text[]) ORDER BY h.host`)
  return rows.map(({ host }) => host)
}
