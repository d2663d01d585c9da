import { timingSafeEqual } from 'node:crypto'

import { sign } from './unsubscribe-token.ts'

/** The user who may say once, without a session, whether the closing is true. */
export interface ClosingSubject {
  readonly user_id: number
  readonly status_change_id: number
}

const TOKEN = /^c\.([1-9]\d{0,9})\.([1-9]\d{0,9})\.([\w-]{16})$/

/** The token stands only in the text of the mail. The prefix keeps it apart from tokens that unsubscribe, which have the same key. */
export function closingToken(signingKey: string, { user_id, status_change_id }: ClosingSubject): string {
  const payload = `c.${user_id}.${status_change_id}`
  return `${payload}.${sign(signingKey, payload)}`
}

/** Returns undefined if the signature is invalid. */
export function readClosingToken(signingKey: string, token: string): ClosingSubject | undefined {
  const [, user = '', change = '', signature = ''] = TOKEN.exec(token) ?? []
  const expected = sign(signingKey, `c.${user}.${change}`)
  if (signature === '' || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined
  return { user_id: Number(user), status_change_id: Number(change) }
}
