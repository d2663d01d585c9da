import { readSigned, signed } from './unsubscribe-token.ts'

/** The user who may say once, without a session, whether the closing is true. */
export interface ClosingSubject {
  readonly user_id: number
  readonly status_change_id: number
}

/** The token stands only in the text of the mail. The prefix keeps it apart from tokens that unsubscribe, which have the same key. */
export const closingToken = (signingKey: string, { user_id, status_change_id }: ClosingSubject): string =>
  signed(signingKey, `c.${user_id}.${status_change_id}`)

/** Returns undefined if the signature is invalid. */
export function readClosingToken(signingKey: string, token: string): ClosingSubject | undefined {
  const [letter, user, change] = readSigned(signingKey, token) ?? []
  return letter === 'c' ? { user_id: Number(user), status_change_id: Number(change) } : undefined
}
