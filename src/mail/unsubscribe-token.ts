import { createHmac, timingSafeEqual } from 'node:crypto'

import { type Language, languageOf, languages } from '../locales/texts.ts'
import { type Database, type Sql, sql } from '../database/database.ts'
import { findSigningKey } from '../http/identity/signing-keys.ts'

/**
 * The value `all` means all notifications of a user, `work` the daily mail of an organisation, `address` every mail to an e-mail address without an
 * account, `inbox` the mails about new reports to the inbox of an organisation, and `draft` mails about drafts of reports to an e-mail address, which
 * may have an account.
 */
export type Subscription =
  | { readonly kind: 'issue'; readonly user_id: number; readonly issue_id: number }
  | { readonly kind: 'question'; readonly user_id: number; readonly question_id: number }
  | { readonly kind: 'watch'; readonly user_id: number; readonly watch_area_id: number }
  | { readonly kind: 'work'; readonly user_id: number; readonly organization_id: number }
  | { readonly kind: 'all'; readonly user_id: number }
  | { readonly kind: 'address'; readonly email_address_id: number; readonly address_hash: string }
  | { readonly kind: 'inbox'; readonly organization_id: number; readonly address_hash: string }
  | { readonly kind: 'draft'; readonly locale: Language; readonly address_hash: string }

const ID = '([1-9]\\d{0,9})'
const HASH = '([\\w-]{16})'
/** Prefixes: i issue, q question, w watch area, o daily mail of an organisation, a all, n address without account, b inbox, d drafts. */
const TOKEN = new RegExp(
  `^(?:([iqwo])\\.${ID}\\.${ID}|a\\.${ID}|([nb])\\.${ID}\\.${HASH}|d\\.(${languages.join('|')})\\.${HASH})\\.${HASH}$`,
)

/** The token is deterministic and grants nothing else, so every relay may read it in a header. The signature has 96 bits. */
export function unsubscribeToken(signingKey: string, subscription: Subscription): string {
  const payload = serializeSubscription(subscription)
  return `${payload}.${sign(signingKey, payload)}`
}

/** Returns the subscription that a token ends, or undefined if its signature is invalid. */
export function readUnsubscribeToken(signingKey: string, token: string): Subscription | undefined {
  const [, prefix, user, subject, all, owner, ownerId, address_hash, locale, draft, signature = ''] = TOKEN.exec(token) ?? []
  const payload = token.slice(0, -signature.length - 1)
  if (signature === '' || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(signingKey, payload)))) return undefined
  if (draft !== undefined) return { kind: 'draft', locale: languageOf(locale ?? ''), address_hash: draft }
  if (address_hash !== undefined)
    return owner === 'b'
      ? { kind: 'inbox', organization_id: Number(ownerId), address_hash }
      : { kind: 'address', email_address_id: Number(ownerId), address_hash }
  if (all !== undefined) return { kind: 'all', user_id: Number(all) }
  const user_id = Number(user)
  const id = Number(subject)
  if (prefix === 'w') return { kind: 'watch', user_id, watch_area_id: id }
  if (prefix === 'o') return { kind: 'work', user_id, organization_id: id }
  return prefix === 'q' ? { kind: 'question', user_id, question_id: id } : { kind: 'issue', user_id, issue_id: id }
}

function serializeSubscription(subscription: Subscription): string {
  switch (subscription.kind) {
    case 'issue':
      return `i.${subscription.user_id}.${subscription.issue_id}`
    case 'question':
      return `q.${subscription.user_id}.${subscription.question_id}`
    case 'watch':
      return `w.${subscription.user_id}.${subscription.watch_area_id}`
    case 'work':
      return `o.${subscription.user_id}.${subscription.organization_id}`
    case 'inbox':
      return `b.${subscription.organization_id}.${subscription.address_hash}`
    case 'all':
      return `a.${subscription.user_id}`
    case 'address':
      return `n.${subscription.email_address_id}.${subscription.address_hash}`
    case 'draft':
      return `d.${subscription.locale}.${subscription.address_hash}`
  }
}

export const sign = (key: string, payload: string) => createHmac('sha256', key).update(payload).digest('base64url').slice(0, 16)

export const findUnsubscribeKey = (db: Database): Promise<string> => findSigningKey(db, 'unsubscribe')

/** Only the database computes the hash, so that letter case is folded the same way everywhere. */
export const emailAddressHash = (emailAddress: Sql): Sql =>
  sql`left(translate(encode(sha256(convert_to(lower(${emailAddress}), 'UTF8')), 'base64'), '+/', '-_'), 16)`
