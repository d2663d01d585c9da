import Type, { type Static } from 'typebox'
import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type Database,
  join,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../../database/database.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'
import { isLate, targetDueAt, targetDueKind, describeTarget } from '../targets/conditions.ts'
import { memberRoles, rolesWith } from '../../http/identity/roles.ts'
import { findViewer } from '../../http/identity/viewer-queries.ts'
import type { Urls } from '../../http/request/urls.ts'
import { findIssueScope } from '../../issue-lifecycle/access.ts'
import { languageOf, textsIn } from '../../locales/texts.ts'
import { countPendingItems } from '../../moderation/item-queries.ts'
import { mailingListHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { type ComposedMail, composeMail, type Section } from '../../notifications/templates/layout.ts'
import { toOneLine } from '../../notifications/templates/shorten-text.ts'
import { composeOneByOne, type CreateComposer, type FurtherComposers } from '../../notifications/composer.ts'
import { composeInboxMail } from './inbox.ts'

const DueOrganization = Type.Object({ id: Id, is_due: Type.Boolean(), time_zone: nullable(Type.String()) })

/**
 * Writes the daily mails of organisations that are due, and returns the numbers of organisations and mails. The next time is 07:00 in the time zone of the first
 * calendar, or UTC. It is moved in the same transaction, so each mail is written once, and one mail follows an outage.
 */
export async function createDueDailyMails(tx: Transaction, now: Date, limit: number) {
  const due = await tx.query(sql.type(DueOrganization)`
    SELECT o.id, o.daily_mail_at IS NOT NULL AS is_due,
      (SELECT c.time_zone FROM calendars c WHERE c.organization_id = o.id ORDER BY c.id LIMIT 1) AS time_zone
    FROM organizations o
    WHERE o.daily_mail_at IS NULL OR o.daily_mail_at <= ${now.toISOString()}::timestamptz
    ORDER BY o.id LIMIT ${limit} FOR NO KEY UPDATE OF o SKIP LOCKED`)
  let mails = 0
  for (const { id, is_due, time_zone } of due) {
    if (is_due) mails += await tx.execute(insertMails(id, now))
    const daily_mail_at = nextDailyMailAt(now, time_zone ?? 'UTC')
    await tx.prisma.organization.update({ where: { id }, data: { daily_mail_at }, select: { id: true } })
  }
  return { organizations: due.length, mails }
}

const insertMails = (organizationId: number, now: Date): Sql => sql`
  WITH recipients AS (
    SELECT address.id
    FROM organization_members m
    JOIN users recipient ON recipient.id = m.user_id
    CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS id) address
    WHERE m.organization_id = ${organizationId} AND m.daily_mail AND recipient.issue_mails AND address.id IS NOT NULL
  ), event AS (
    INSERT INTO events (type, subject_type, subject_id, created_at)
    SELECT 'organization.daily_mail_due', 'organization', ${organizationId}, ${now.toISOString()}::timestamptz WHERE EXISTS (SELECT FROM recipients)
    RETURNING events.id
  )
  INSERT INTO mails (kind, event_id, email_address_id)
  SELECT 'work', event.id, recipients.id FROM event CROSS JOIN recipients ORDER BY recipients.id`

const DailyRecipient = Type.Object({
  email_address_id: Id,
  user_id: Id,
  locale: Type.String(),
  organization_id: Id,
  organization: Type.String(),
  role: stringEnum(memberRoles),
})
type DailyRecipient = Static<typeof DailyRecipient>

/** A mail that is older is of no use, because the next one follows. */
const SEND_WITHIN_HOURS = 20

/** Returns the recipients who are still members and want the mail. */
const listDailyRecipients = (db: Queryable, messageIds: readonly string[]): Promise<DailyRecipient[]> =>
  db.query(sql.type(DailyRecipient)`
    SELECT mail.email_address_id, recipient.id AS user_id, recipient.locale, o.id AS organization_id, m.role,
      coalesce(o.translations -> left(recipient.locale, 2) ->> 'name', o.name) AS organization
    FROM mails mail
    JOIN events event ON event.id = mail.event_id
    JOIN email_addresses address ON address.id = mail.email_address_id
    JOIN users recipient ON recipient.id = address.user_id
    JOIN organizations o ON o.id = event.subject_id
    JOIN organization_members m ON m.organization_id = o.id AND m.user_id = recipient.id
    WHERE mail.message_id = ANY(${[...messageIds]}::uuid[]) AND m.daily_mail AND recipient.issue_mails AND address.id = ${notificationEmailAddressId}
      AND event.created_at > now() - make_interval(hours => ${SEND_WITHIN_HOURS}::integer)
    ORDER BY mail.event_id, mail.email_address_id`)

/** The sections of the mail, in their order. */
const dailySections = ['new', 'late', 'soon', 'mine'] as const
type DailySection = (typeof dailySections)[number]

const ROWS_MAX = 10

const DailyIssue = Type.Object({
  section: stringEnum(dailySections),
  id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  due_at: nullable(Timestamp),
  due: nullable(stringEnum(['acknowledge', 'close'])),
  paused_at: nullable(Timestamp),
  /** Number of issues of the section. */
  total: Count,
})
type DailyIssue = Static<typeof DailyIssue>

/**
 * Returns the open issues of an organisation by section: those of the last 24 hours, the late ones, those due within a day, and those assigned to
 * the user. The first of each section are listed.
 */
async function listDailyIssues(
  db: Queryable,
  { organization_id, user_id }: Pick<DailyRecipient, 'organization_id' | 'user_id'>,
  now: Date,
): Promise<DailyIssue[]> {
  const conditions: Readonly<Record<DailySection, Sql>> = {
    new: sql`i.created_at > ${now.toISOString()}::timestamptz - interval '24 hours'`,
    late: sql`(${isLate('acknowledge', now)} OR ${isLate('close', now)})`,
    soon: isLate('soon', now),
    mine: sql`i.assignee_id = ${user_id}`,
  }
  return db.query(sql.type(DailyIssue)`
    WITH own AS (
      SELECT i.id, i.summary, i.address, i.created_at, ${targetDueAt} AS due_at, ${targetDueKind} AS due, target.paused_at,
        ${conditions.new} AS is_new, ${conditions.late} AS is_late, ${conditions.soon} AS is_soon, coalesce(${conditions.mine}, FALSE) AS is_mine
      FROM issues i
      LEFT JOIN issue_targets target ON target.issue_id = i.id
      WHERE (${join(await findIssueScope(db, organization_id), ' OR ')}) AND i.moderation_state = 'passed' AND i.status IN ('Open', 'Acknowledged')
    ), ranked AS (
      SELECT own.*, section.name AS section, (count(*) OVER (PARTITION BY section.name))::integer AS total,
        row_number() OVER (PARTITION BY section.name ORDER BY own.due_at NULLS LAST, own.created_at, own.id) AS position
      FROM own
      CROSS JOIN LATERAL (VALUES ('new', own.is_new), ('late', own.is_late), ('soon', own.is_soon), ('mine', own.is_mine)) section (name, applies)
      WHERE section.applies
    )
    SELECT ranked.section, ranked.id, ranked.summary, ranked.address, ranked.due_at, ranked.due, ranked.paused_at, ranked.total
    FROM ranked WHERE ranked.position <= ${ROWS_MAX}
    ORDER BY ranked.section, ranked.position`)
}

const HOUR = 7

/** Returns the next 07:00 of the time zone strictly after `at`. */
export function nextDailyMailAt(at: Date, timeZone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  const today = now.toPlainDate().toZonedDateTime({ timeZone, plainTime: { hour: HOUR } })
  const next = Temporal.ZonedDateTime.compare(today, now) > 0 ? today : today.add({ days: 1 })
  return new Date(next.epochMilliseconds)
}

const TEXT_MAX = 100
const DAY_MS = 86_400_000
const LIST = { label: 'work', name: 'Fixpoint work' }

/** The filters of the work list with the issues of a section. */
const filtersAt = (now: Date): Readonly<Record<DailySection, string>> => ({
  new: `after=${new Date(now.getTime() - DAY_MS).toISOString()}`,
  late: 'late=acknowledge,close',
  soon: 'late=soon',
  mine: 'assignee=me',
})

/** Returns the numbers of offers that the member may answer and of held items that they may decide on, with the paths of the pages. */
async function countDecisions(db: Database, { organization_id, user_id, role }: DailyRecipient) {
  const viewer = await findViewer(db, user_id)
  const offers = rolesWith('work_on_issues').includes(role)
    ? await db.prisma.issueTransfer.count({ where: { to_id: organization_id, state: 'offered' } })
    : 0
  const held = viewer
    ? await countPendingItems(db, { ...viewer, isAdmin: false, memberships: [{ organization_id, role }] }, ROWS_MAX)
    : 0
  return [
    { section: 'offers', total: offers, path: `/work?organization_id=${organization_id}` },
    { section: 'held', total: held, path: '/moderation' },
  ] as const
}

/** Returns undefined if there is nothing to do. */
function composeDailyMail(
  recipient: DailyRecipient,
  issues: readonly DailyIssue[],
  decisions: Awaited<ReturnType<typeof countDecisions>>,
  { urls, signingKey, now }: { readonly urls: Urls; readonly signingKey: string; readonly now: Date },
): ComposedMail | undefined {
  const language = languageOf(recipient.locale)
  const texts = textsIn(language)
  const { user_id, organization_id } = recipient
  const token = unsubscribeToken(signingKey, { kind: 'work', user_id, organization_id })
  const list = `/work?organization_id=${organization_id}`
  const found = dailySections.flatMap((section) => {
    const rows = issues.filter((issue) => issue.section === section)
    return rows[0] ? [{ section, rows, total: rows[0].total, path: `${list}&${filtersAt(now)[section]}` }] : []
  })
  const all = [...found, ...decisions.flatMap((one) => (one.total > 0 ? [{ ...one, rows: [] }] : []))]
  if (all.length === 0) return undefined
  const toRow = ({ id, summary, address, due_at, due, paused_at }: DailyIssue) => ({
    text: `${toOneLine(summary, TEXT_MAX)} (#${id})`,
    url: urls.at(`/issues/${id}`),
    lines: [address && toOneLine(address, TEXT_MAX), describeTarget({ due_at, due, paused_at }, now, language)?.words].flatMap(
      (line) => line || [],
    ),
  })
  const sections = all.map(({ section, rows, total, path }): Section => ({
    title: texts(`workMail.sections.${section}`, { count: total }),
    rows: [...rows.map(toRow), { text: texts('workMail.view'), url: urls.at(path), lines: [] }],
  }))
  const organization = toOneLine(recipient.organization, TEXT_MAX)
  const counts = all.map(({ section, total }) => texts(`workMail.counts.${section}`, { count: total }))
  const mail = composeMail(
    language,
    {
      subject: texts('workMail.subject', { counts: counts.join(', '), organization }),
      intro: [],
      sections,
      button: texts('workMail.button'),
      url: urls.at(list),
      closing: [texts('workMail.reason', { organization })],
      settingsLink: { text: texts('workMail.settings'), url: urls.at('/account/mails') },
      unsubscribe: { text: texts('workMail.unsubscribe'), url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  return { ...mail, headers: mailingListHeaders(urls, LIST, token) }
}

const createDailyComposer: CreateComposer = async (mails, context) => {
  const recipients = await listDailyRecipients(
    context.db,
    mails.map(({ message_id }) => message_id),
  )
  const composeOne = composeOneByOne(async ({ email_address_id, subject_id }) => {
    const recipient = recipients.find((one) => one.email_address_id === email_address_id && one.organization_id === subject_id)
    if (!recipient) return undefined
    const issues = await listDailyIssues(context.db, recipient, context.now)
    return composeDailyMail(recipient, issues, await countDecisions(context.db, recipient), context)
  })
  return composeOne(mails, context)
}

/** Composers of the mails of organisations to their members and inboxes. */
export const staffMailComposers: FurtherComposers = { work: createDailyComposer, inbox: composeOneByOne(composeInboxMail) }
