import Type, { type Static } from 'typebox'
import { Id, nullable, sql, type Transaction, stringEnum, type Queryable, type Sql } from '../database/database.ts'
import { languageOf, textsIn, type Texts } from '../locales/texts.ts'
import { createLinkToken } from '../mail/link-tokens.ts'
import { mailingListHeaders, unsubscribeUrl } from '../mail/list-headers.ts'
import { isTrustedEmailAddress } from '../mail/trusted-email-address.ts'
import { emailAddressHash, unsubscribeToken } from '../mail/unsubscribe-token.ts'
import { type AccountMailLink, accountMails, isAccountMailEventType } from './account-mails.ts'
import { composeClosingMail } from './compose-closing-mail.ts'
import type { LeasedMail } from './lease-queries.ts'
import { findReason } from './recipients/account-mail-recipients.ts'
import { type ComposeContext, type ComposedMail, composeMail, type MailText } from './templates/layout.ts'
import { findReviewReasons } from '../content-policy/policy.ts'
import { memberRoles } from '../http/identity/roles.ts'
import { hashToken, newSecret } from '../http/identity/credentials.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { draftPictureUrl } from '../mail/draft-picture-url.ts'
import { findNameOfAddress } from '../users/queries.ts'
import { listIssueNotificationContents } from './recipients/issue-notification-queries.ts'
import { composeIssueNotification } from './templates/compose-issue-notification.ts'
import { addressMail, draftLink } from './templates/account-mail-texts.ts'

const ACCOUNT_LIST = { label: 'account', name: 'Fixpoint account' }

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
  const reason = await findReason(db, mail)
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

/** These mails go to an address that is not known to belong to an account. One that arrives later is of no use. */
const SEND_WITHIN_HOURS = 24

/** The mail says how long its link is valid. */
const LINK_MS = 7 * 86_400_000

const DRAFT_LIST = { label: 'drafts', name: 'Fixpoint drafts' }
const INVITATION_LIST = { label: 'invitations', name: 'Fixpoint invitations' }
const RECEIPT_LIST = { label: 'receipts', name: 'Fixpoint reports' }

const DraftRow = Type.Object({
  draft_id: Id,
  address_hash: Type.String(),
  title: nullable(Type.String()),
  summary: nullable(Type.String()),
  description: nullable(Type.String()),
  address: Type.String(),
  has_picture: Type.Boolean(),
  is_anonymous: Type.Boolean(),
})
type DraftRow = Static<typeof DraftRow>

/** Each attempt gets a new link. All links to the last address stay valid, because a failed attempt may have been received. */
export async function composeDraftMail(mail: LeasedMail, context: ComposeContext): Promise<ComposedMail | undefined> {
  const { db, urls, signingKey, now } = context
  const [draft] = await db.query(sql.type(DraftRow)`
    SELECT draft.id AS draft_id, ${emailAddressHash(sql`mail.email`)} AS address_hash,
      coalesce(type.translations -> ${languageOf(mail.locale ?? '')}::text ->> 'title', type.title) AS title,
      draft.form_values #>> '{answers,summary}' AS summary, draft.form_values #>> '{answers,description}' AS description,
      coalesce(draft.form_values ->> 'address', '') AS address,
      EXISTS (SELECT FROM report_draft_images image WHERE image.draft_id = draft.id) AS has_picture,
      draft.form_values ->> 'anonymize_reporter' IS NOT NULL AS is_anonymous
    FROM mails mail
    JOIN report_drafts draft ON draft.id = mail.draft_id
    LEFT JOIN request_types type ON type.id::text = draft.form_values ->> 'request_type_id'
    WHERE ${isWanted(mail)} AND draft.email = mail.email AND draft.user_id IS NULL AND draft.expires_at > ${now.toISOString()}::timestamptz`)
  if (!draft) return undefined
  const token = newSecret()
  await db.prisma.reportDraftLink.create({
    data: {
      secret_hash: hashToken(token),
      draft_id: draft.draft_id,
      email: mail.email_address,
      expires_at: new Date(now.getTime() + LINK_MS),
    },
  })
  const isShown = !needsReview(draft, mail, now)
  const url = urls.at(`/report/draft/open?token=${token}`)
  const owner = await findNameOfAddress(db, mail.email_address, languageOf(mail.locale ?? ''))
  const mailed = { id: draft.draft_id, email: mail.email_address }
  return compose(mail, draft.address_hash, DRAFT_LIST, context, (texts, unsubscribeLink) =>
    draftLink(texts, {
      url,
      unsubscribeLink,
      name: draft.is_anonymous ? texts('anonymousUser') : (owner ?? texts('draft.nameOfAddress')),
      lines: [...(draft.title === null ? [] : [draft.title]), ...(isShown ? textsOf(draft) : [])],
      banner: draftPictureUrl(urls, signingKey, mailed, 'map'),
      picture: isShown && draft.has_picture ? draftPictureUrl(urls, signingKey, mailed, 1) : undefined,
    }),
  )
}

const textsOf = ({ summary, description, address }: DraftRow): readonly string[] =>
  [summary ?? '', description ?? '', address].filter((text) => text !== '')

/** The address may belong to a third party, so the mail shows no texts that need a review or have an address, and no picture with them. */
function needsReview(draft: DraftRow, { locale }: LeasedMail, now: Date): boolean {
  const author = { locale: locale ?? '', authorCreatedAt: now, now, duplicateCount: 0, organizationReviewsAll: false }
  const texts = textsOf(draft)
  // Mail programs turn e-mail addresses into links, too.
  return texts.some((text) => text.includes('@')) || findReviewReasons({ ...author, texts }).length > 0
}

const ReceiptRow = Type.Object({
  issue_id: Id,
  moderation_state: stringEnum(moderationStates),
  /** An employee has entered the report. */
  is_for_caller: Type.Boolean(),
  address_hash: Type.String(),
})

export async function composeReceipt(mail: LeasedMail, context: ComposeContext): Promise<ComposedMail | undefined> {
  const { db, urls } = context
  if (mail.type === 'user.erased') return composeErasureReceipt(mail, context)
  if (mail.type !== 'report.receipt_requested') return composeCallerNotification(mail, context)
  const [receipt] = await db.query(sql.type(ReceiptRow)`
    SELECT i.id AS issue_id, i.moderation_state, i.source IN ('phone', 'staff') AS is_for_caller, ${emailAddressHash(sql`mail.email`)} AS address_hash
    FROM mails mail
    JOIN issues i ON i.id = mail.issue_id
    WHERE ${isWanted(mail)} AND i.moderation_state <> 'rejected'`)
  if (!receipt) return undefined
  const isPublic = receipt.moderation_state === 'passed'
  const name = receipt.is_for_caller ? 'callerReceipt' : isPublic ? 'reportReceipt' : 'reportReceiptHeld'
  const url = urls.at(isPublic ? `/issues/${receipt.issue_id}` : '/')
  return compose(mail, receipt.address_hash, RECEIPT_LIST, context, (texts, unsubscribeLink) =>
    addressMail(name, texts, { url, unsubscribeLink }, { number: `#${receipt.issue_id}` }),
  )
}

const AddressHash = Type.Object({ address_hash: Type.String() })

/** Returns the hash of the address if it still wants the mail. */
async function findWantedAddress(db: Queryable, mail: LeasedMail): Promise<string | undefined> {
  const [found] = await db.query(sql.type(AddressHash)`
    SELECT ${emailAddressHash(sql`mail.email`)} AS address_hash FROM mails mail WHERE ${isWanted(mail)}`)
  return found?.address_hash
}

/** The address of a report that staff have entered gets the mails of its followers, and ends them as other mails about reports without an account. */
async function composeCallerNotification(mail: LeasedMail, context: ComposeContext) {
  const { db, urls, signingKey } = context
  const address_hash = await findWantedAddress(db, mail)
  if (address_hash !== undefined && mail.type === 'issue.closing_asked') return composeClosingMail(mail, context, address_hash)
  const [content] = await listIssueNotificationContents(db, [mail.event_id])
  if (address_hash === undefined || !content) return undefined
  return composeIssueNotification({ locale: mail.locale ?? '', address_hash }, content, urls, signingKey)
}

async function composeErasureReceipt(mail: LeasedMail, context: ComposeContext): Promise<ComposedMail | undefined> {
  const address_hash = await findWantedAddress(context.db, mail)
  if (address_hash === undefined) return undefined
  const links = { url: context.urls.at('/privacy') }
  const content = mail.payload['content_deleted'] === 1 ? 'delete' : 'keep'
  return compose(mail, address_hash, ACCOUNT_LIST, context, (texts, unsubscribeLink) =>
    addressMail('erasureReceipt', texts, { ...links, unsubscribeLink }, { content }),
  )
}

const InvitationRow = Type.Object({ organization: Type.String(), role: stringEnum(memberRoles), address_hash: Type.String() })

/** The text names the organisation and no person, because the address may belong to a third party. */
export async function composeInvitation(mail: LeasedMail, context: ComposeContext): Promise<ComposedMail | undefined> {
  const { db, urls } = context
  const [invitation] = await db.query(sql.type(InvitationRow)`
    SELECT coalesce(o.translations -> ${languageOf(mail.locale ?? '')}::text ->> 'name', o.name) AS organization, invited.role,
      ${emailAddressHash(sql`mail.email`)} AS address_hash
    FROM mails mail
    JOIN pending_memberships invited ON invited.organization_id = ${mail.subject_id} AND invited.email = lower(mail.email)
    JOIN organizations o ON o.id = invited.organization_id
    WHERE ${isWanted(mail)}`)
  if (!invitation) return undefined
  const { organization, role } = invitation
  return compose(mail, invitation.address_hash, INVITATION_LIST, context, (texts, unsubscribeLink) =>
    addressMail(
      'memberInvitation',
      texts,
      { url: urls.at('/account/invitations'), unsubscribeLink },
      { organization, role: texts(`roles.${role}`) },
    ),
  )
}

const isWanted = ({ message_id, created_at }: LeasedMail): Sql => sql`
  mail.message_id = ${message_id}::uuid AND ${created_at}::timestamptz > now() - make_interval(hours => ${SEND_WITHIN_HOURS}::integer)
    AND NOT EXISTS (SELECT FROM draft_mail_opt_outs o WHERE o.address_hash = ${emailAddressHash(sql`mail.email`)})
    AND NOT EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`mail.email`)})`

function compose(
  mail: LeasedMail,
  address_hash: string,
  list: typeof DRAFT_LIST,
  { urls, signingKey }: ComposeContext,
  text: (texts: Texts, unsubscribeLink: string) => MailText,
): ComposedMail {
  const language = languageOf(mail.locale ?? '')
  const unsubscribe = unsubscribeToken(signingKey, { kind: 'draft', locale: language, address_hash })
  return {
    ...composeMail(language, text(textsIn(language), unsubscribeUrl(urls, unsubscribe)), urls.root),
    headers: mailingListHeaders(urls, list, unsubscribe),
  }
}
