import { randomBytes } from 'node:crypto'

import { hashToken } from '../http/identity/credentials.ts'

/** 144 random bits, which nobody guesses. With them a link of this machine fits into one line of a mail, however that is encoded. */
const BYTES = 18

export interface LinkToken {
  readonly token: string
  /** All that is kept of it. */
  readonly hash: string
}

export function newLinkToken(): LinkToken {
  const token = randomBytes(BYTES).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Longer ones are none of ours and not worth a look. */
export const LINK_TOKEN_MAX = 200
