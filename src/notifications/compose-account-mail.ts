import Type from 'typebox'

import { Id, nullable, sql, type Transaction } from '../database/database.ts'
import { languageOf, textsIn } from '../locales/texts.ts'
import { createLinkToken } from '../mail/link-tokens.ts'
import { mailingListHeaders, unsubscribeUrl } from '../mail/list-headers.ts'
import { isTrustedEmailAddress } from '../mail/trusted-email-address.ts'
import { emailAddressHash, unsubscribeToken } from '../mail/unsubscribe-token.ts'
import { type AccountMailLink, accountMails, isAccountMailEventType } from './account-mails.ts'
import type { LeasedMail } from './lease-queries.ts'
import { findDecisionReason } from './recipients/account-mail-recipients.ts'
import type { ComposeContext, ComposedMail } from './templates/composed-mail.ts'
import { composeMail } from './templates/layout.ts'

export const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

/** An expired token is reported as expired, not as unknown, for this time. */
const TOKEN_RETENTION_MS = 30 * 86_400_000

const AccountRecipient = Type.Object({
  user_id: Id,
  address_hash: Type.String(),
  locale: Type.String(),
  is_removed: Type.Boolean(),
  may_reset_password: Type.Boolean(),
  changed_email_address: nullable(Type.String()),
})

/** Each attempt gets a new token. All tokens stay valid, because a failed attempt may have been received. */
export async function composeAccountMail(
  mail: LeasedMail,
  { db, urls, signingKey }: ComposeContext,
): Promise<ComposedMail | undefined> {
  const { type, email_address: emailAddress, email_address_id } = mail
  if (!isAccountMailEventType(type)) return undefined
  const { recipients, sendWithin_s, link: linkKind, pagePath, compose, toSubscription } = accountMails[type]
  const [recipient] = await db.query(sql.type(AccountRecipient)`
    SELECT address.user_id, ${emailAddressHash(sql`address.email`)} AS address_hash, recipient.locale,
      address.removed_at IS NOT NULL AS is_removed, ${isTrustedEmailAddress(sql`address`)} AS may_reset_password,
      (SELECT changed.email FROM email_addresses changed WHERE changed.id = ${Number(mail.payload['email_address_id'] ?? 0)}) AS changed_email_address
    FROM email_addresses address
    JOIN users recipient ON recipient.id = address.user_id
    WHERE address.id = ${email_address_id} AND address.id IN (${recipients(mail)})
      AND ${mail.created_at}::timestamptz > now() - make_interval(secs => ${sendWithin_s})`)
  if (!recipient) return undefined
  const { locale, is_removed: isRemoved, may_reset_password: mayResetPassword } = recipient

  const language = languageOf(locale)
  const link = linkKind?.onlyFor?.(mail).includes(email_address_id) === false ? undefined : linkKind
  const owner = { ...recipient, email_address_id, event_id: mail.event_id }
  const url = urls.at(link ? link.path(await db.transaction((tx) => addToken(tx, owner, link))) : pagePath)
  const unsubscribe = unsubscribeToken(signingKey, toSubscription(owner))
  const unsubscribeLink = unsubscribeUrl(urls, unsubscribe)
  const mayRevert = link?.purpose === 'revert_email_change'
  const changed = recipient.changed_email_address ?? ''
  const changedEmailAddress = isRemoved && !mayRevert ? maskEmailAddress(changed) : changed
  const reason = await findDecisionReason(db, mail)
  const content = { emailAddress, url, unsubscribeLink, changedEmailAddress, mayRevert, mayResetPassword, isRemoved, reason }
  return {
    ...composeMail(language, compose(textsIn(language), content), urls.root),
    headers: mailingListHeaders(urls, ACCOUNT_LIST, unsubscribe),
  }
}

async function addToken(
  tx: Transaction,
  owner: { readonly user_id: number; readonly email_address_id: number; readonly event_id: number },
  { purpose, lifetime_s }: AccountMailLink,
): Promise<string> {
  const { user_id, email_address_id } = owner
  const { token, hash: token_hash } = createLinkToken()
  await tx.prisma.oneTimeToken.deleteMany({ where: { user_id, expires_at: { lt: new Date(Date.now() - TOKEN_RETENTION_MS) } } })
  const event_id = purpose === 'revert_email_change' ? owner.event_id : null
  const expires_at = new Date(Date.now() + lifetime_s * 1_000)
  await tx.prisma.oneTimeToken.create({ data: { user_id, email_address_id, event_id, purpose, token_hash, expires_at } })
  return token
}

const maskEmailAddress = (emailAddress: string) => emailAddress.replace(/^(.).*(?=@)/u, '$1…')
