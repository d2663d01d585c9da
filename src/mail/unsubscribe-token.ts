import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Language } from '../locales/texts.ts'
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

/** The fields of each kind after its letter in a token. Fields that end in `_id` are numbers. */
const FIELDS = {
  i: ['issue', 'user_id', 'issue_id'],
  q: ['question', 'user_id', 'question_id'],
  w: ['watch', 'user_id', 'watch_area_id'],
  o: ['work', 'user_id', 'organization_id'],
  a: ['all', 'user_id'],
  n: ['address', 'email_address_id', 'address_hash'],
  b: ['inbox', 'organization_id', 'address_hash'],
  d: ['draft', 'locale', 'address_hash'],
} as const

/** The token is deterministic and grants nothing else, so every relay may read it in a header. The signature has 96 bits. */
export function unsubscribeToken(signingKey: string, subscription: Subscription): string {
  const [letter, [, ...fields]] = Object.entries(FIELDS).find(([, [kind]]) => kind === subscription.kind) ?? ['', ['']]
  const values = fields.map((field) => (subscription as unknown as Record<string, string | number>)[field])
  return signed(signingKey, [letter, ...values].join('.'))
}

/** Returns the subscription that a token ends, or undefined if its signature is invalid. */
export function readUnsubscribeToken(signingKey: string, token: string): Subscription | undefined {
  const [letter = '', ...values] = readSigned(signingKey, token) ?? []
  if (!Object.hasOwn(FIELDS, letter)) return undefined
  const [kind, ...fields] = FIELDS[letter as keyof typeof FIELDS]
  const entries = fields.map((field, n) => [field, field.endsWith('_id') ? Number(values[n]) : values[n]] as const)
  return { kind, ...Object.fromEntries(entries) } as unknown as Subscription
}

/** Adds the signature after a dot. */
const signed = (key: string, payload: string) =>
  `${payload}.${createHmac('sha256', key).update(payload).digest('base64url').slice(0, 16)}`

/** Returns the parts of the payload, or undefined if the signature is invalid. */
function readSigned(key: string, token: string): string[] | undefined {
  const payload = token.slice(0, Math.max(0, token.lastIndexOf('.')))
  const [given, expected] = [Buffer.from(token), Buffer.from(signed(key, payload))]
  return given.length === expected.length && timingSafeEqual(given, expected) ? payload.split('.') : undefined
}

/** The user who may say once, without a session, whether the closing is true. */
export interface ClosingSubject {
  readonly user_id: number
  readonly status_change_id: number
}

/** The address of a person for whom staff have reported, who may have no account. */
export interface ClosingCaller {
  readonly address_hash: string
  readonly status_change_id: number
}

/** The token stands only in the text of the mail. The prefixes keep it apart from tokens that unsubscribe, which have the same key. */
export const closingToken = (signingKey: string, subject: ClosingSubject | ClosingCaller): string =>
  signed(signingKey, `${'user_id' in subject ? `c.${subject.user_id}` : `h.${subject.address_hash}`}.${subject.status_change_id}`)

/** Returns undefined if the signature is invalid. */
export function readClosingToken(signingKey: string, token: string): ClosingSubject | ClosingCaller | undefined {
  const [letter, who = '', change] = readSigned(signingKey, token) ?? []
  const status_change_id = Number(change)
  if (letter === 'c') return { user_id: Number(who), status_change_id }
  return letter === 'h' ? { address_hash: who, status_change_id } : undefined
}

export const findUnsubscribeKey = (db: Database): Promise<string> => findSigningKey(db, 'unsubscribe')

/** Only the database computes the hash, so that letter case is folded the same way everywhere. */
export const emailAddressHash = (emailAddress: Sql): Sql =>
  sql`left(translate(encode(sha256(convert_to(lower(${emailAddress}), 'UTF8')), 'base64'), '+/', '-_'), 16)`
