import type { FastifyReply, FastifyRequest } from 'fastify'

import { hashToken } from '../../../http/identity/credentials.ts'
import { clearSecretCookie, readSecretCookie, setSecretCookie } from '../../../http/identity/secret-cookies.ts'
import type { Urls } from '../../../http/request/urls.ts'
import { claimDraft, type Draft, type DraftReader, findDraft } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'

export const DRAFT_PATH = '/report/draft'

/** A login that returns to this path publishes the draft of the browser. The page of the login says so. */
export const PUBLISH_ON_LOGIN_PATH = `${DRAFT_PATH}?publish=login`

/** Others may use the same browser, so the draft stays open there for a day. The link of a mail and the account open it longer. */
const MAX_AGE_S = 86_400

export const rememberDraft = (reply: FastifyReply, urls: Urls, secret: string) =>
  setSecretCookie(reply, 'draft', urls, { secret, maxAge_s: MAX_AGE_S })

export const forgetDraft = (reply: FastifyReply, urls: Urls) => clearSecretCookie(reply, 'draft', urls)

export function draftReader(request: FastifyRequest, urls: Urls): DraftReader {
  const secret = readSecretCookie(request, 'draft', urls)
  return { secretHash: secret === undefined ? undefined : hashToken(secret), userId: request.viewer?.id }
}

/**
 * Gives the draft of this browser to the account that has just logged in or registered. Returns the draft, if there is one. A mailed draft stays with its
 * mail, and in this browser only for an account with its address or one that logged in to publish it.
 */
export async function claimDraftOfBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, urls, clock }: Pick<Services, 'db' | 'urls' | 'clock'>,
  { userId, return_to }: { readonly userId: number; readonly return_to: string },
): Promise<Draft | undefined> {
  const { secretHash } = draftReader(request, urls)
  if (secretHash === undefined) return undefined
  const now = clock()
  const draft = await findDraft(db, { secretHash, userId: undefined }, now)
  const email = draft?.email
  if (email && (return_to === PUBLISH_ON_LOGIN_PATH || (await hasAddress(db, userId, email)))) return draft
  const isClaimed = await claimDraft(db, { secretHash, userId }, now)
  forgetDraft(reply, urls)
  return isClaimed ? draft : undefined
}

export async function hasAddress({ prisma }: Services['db'], user_id: number, email: string): Promise<boolean> {
  return (
    (await prisma.emailAddress.count({ where: { user_id, email: { equals: email, mode: 'insensitive' }, removed_at: null } })) > 0
  )
}
