import { createHmac, timingSafeEqual } from 'node:crypto'

import { type Database, type Sql, sql } from '../database/database.ts'
import { findSigningKey } from '../http/identity/signing-keys.ts'

/**
 * The scope of an unsubscribe link: one issue, question or watch area, all such mails, or every mail to an address without an
 * account.
 */
export type Subscription =
  | { readonly kind: 'issue'; readonly user_id: number; readonly issue_id: number }
  | { readonly kind: 'question'; readonly user_id: number; readonly question_id: number }
  | { readonly kind: 'watch'; readonly user_id: number; readonly watch_area_id: number }
  | { readonly kind: 'all'; readonly user_id: number }
  | { readonly kind: 'address'; readonly email_id: number; readonly address_hash: string }

const ID = '([1-9]\\d{0,9})'
const HASH = '([\\w-]{16})'
const TOKEN = new RegExp(`^(?:([iqw])\\.${ID}\\.${ID}|a\\.${ID}|n\\.${ID}\\.${HASH})\\.${HASH}$`)

/**
 * Returns the signed token of an unsubscribe link. It is deterministic and valid as long as the key. It grants nothing else, so
 * it may be in a header that every relay can read. The signature has 96 bits.
 */
export function unsubscribeToken(key: string, of: Subscription): string {
  const named = nameOf(of)
  return `${named}.${signatureOf(key, named)}`
}

/** Returns the subscription that a token ends, or undefined if its signature is invalid. */
export function readUnsubscribeToken(key: string, token: string): Subscription | undefined {
  const [, what, user, subject, all, email, address_hash, signature = ''] = TOKEN.exec(token) ?? []
  const named = token.slice(0, -signature.length - 1)
  if (signature === '' || !timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, named)))) return undefined
  if (address_hash !== undefined) return { kind: 'address', email_id: Number(email), address_hash }
  if (all !== undefined) return { kind: 'all', user_id: Number(all) }
  const user_id = Number(user)
  const id = Number(subject)
  if (what === 'w') return { kind: 'watch', user_id, watch_area_id: id }
  return what === 'q' ? { kind: 'question', user_id, question_id: id } : { kind: 'issue', user_id, issue_id: id }
}

function nameOf(of: Subscription): string {
  switch (of.kind) {
    case 'issue':
      return `i.${of.user_id}.${of.issue_id}`
    case 'question':
      return `q.${of.user_id}.${of.question_id}`
    case 'watch':
      return `w.${of.user_id}.${of.watch_area_id}`
    case 'all':
      return `a.${of.user_id}`
    case 'address':
      return `n.${of.email_id}.${of.address_hash}`
  }
}

const signatureOf = (key: string, named: string) => createHmac('sha256', key).update(named).digest('base64url').slice(0, 16)

/** Returns the signing key, which all processes share. */
export const findUnsubscribeKey = (db: Database): Promise<string> => findSigningKey(db, 'unsubscribe')

/** Hash of an address that opted out. Only the database computes it, so that letter case is folded the same way everywhere. */
export const addressHash = (address: Sql): Sql =>
  sql`left(translate(encode(sha256(convert_to(lower(${address}), 'UTF8')), 'base64'), '+/', '-_'), 16)`
