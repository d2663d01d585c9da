import { randomBytes } from 'node:crypto'

import { hashToken } from '../http/identity/credentials.ts'

/** 144 random bits. A link with this token fits into one line of a mail in every transfer encoding. */
const BYTES = 18

export interface LinkToken {
  readonly token: string
  readonly hash: string
}

export function createLinkToken(): LinkToken {
  const token = randomBytes(BYTES).toString('base64url')
  return { token, hash: hashToken(token) }
}

export const LINK_TOKEN_MAX = 200
