import Type, { type Static } from 'typebox'
import { Id, nullable, stringEnum, type Queryable, type Sql, sql, type Transaction } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'
import { describeTarget } from '../targets/conditions.ts'
import type { WorklistQuery } from '../worklist/schema.ts'
import { listWorkRows, parseWorklist } from '../worklist/worklist.ts'
import { memberRoles, rolesWith } from '../../http/identity/roles.ts'
import { findViewer, type Viewer } from '../../http/identity/viewer-queries.ts'
import { findListPage } from '../../issues/list/page.ts'
import { languageOf, textsIn } from '../../locales/texts.ts'
import { mailingListHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import { type ComposeContext, type ComposedMail, composeMail, type Section } from '../../notifications/templates/layout.ts'
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
const HELD_MAX = 1_000

/** The filters of the sections, as the list at `/work` has them. */
const filtersAt = (now: Date): Readonly<Record<DailySection, WorklistQuery>> => ({
  new: { after: new Date(now.getTime() - DAY_MS).toISOString() },
  late: { late: ['acknowledge', 'close'] },
  soon: { late: ['soon'] },
  mine: { assignee: 'me' },
})

/** No section has the parameters of an area. */
const areas = {} as AreaLookup

/** Returns the number of open issues of a section and the first of them, with their targets. */
async function readSection(db: Queryable, viewer: Viewer, organizationId: number, filters: WorklistQuery, now: Date) {
  const query: WorklistQuery = { ...filters, status: ['open', 'acknowledged'], sort: 'target' }
  const pagePosition = { page: 1, perPage: ROWS_MAX }
  const { filter, order } = await parseWorklist({ reader: db, areas, viewer, organizationId, now }, query, pagePosition)
  const { entries, issues } = await findListPage(db, { filter, order, pagePosition, viewer })
  const ids = issues.map(({ id }) => id)
  const targets = await listWorkRows(db, ids)
  return { total: entries, rows: issues.map((issue) => ({ ...issue, target: targets.get(issue.id) })) }
}

type DailyRow = Awaited<ReturnType<typeof readSection>>['rows'][number]

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

/** Returns the number of held items on which the viewer decides, at most `limit`. It is of a room that this one does not import. */
type CountHeld = (db: Queryable, viewer: Viewer, limit: number) => Promise<number>

/** Returns the sections of the mail: issues, then the numbers of offers that the member may answer and of held items that they may decide on. */
async function listSections(
  { db, now }: ComposeContext,
  viewer: Viewer,
  { organization_id, role }: DailyRecipient,
  countHeld: CountHeld,
) {
  const list = `/work?organization_id=${organization_id}`
  const filters = filtersAt(now)
  const found = dailySections.map(async (section) => ({
    ...{ section, ...(await readSection(db, viewer, organization_id, filters[section], now)) },
    path: [list, ...Object.entries(filters[section]).map(([name, value]) => `${name}=${String(value)}`)].join('&'),
  }))
  const offered = { to_id: organization_id, state: 'offered' }
  const offers = rolesWith('work_on_issues').includes(role) ? await db.prisma.issueTransfer.count({ where: offered }) : 0
  const held = await countHeld(db, viewer, HELD_MAX)
  return [
    ...(await Promise.all(found)),
    { section: 'offers' as const, total: offers, rows: [], path: list },
    { section: 'held' as const, total: held, rows: [], path: '/moderation' },
  ].filter(({ total }) => total > 0)
}

/** Returns undefined if there is nothing to do. */
async function composeDailyMail(
  recipient: DailyRecipient,
  context: ComposeContext,
  countHeld: CountHeld,
): Promise<ComposedMail | undefined> {
  const { urls, signingKey, now } = context
  const viewer = await findViewer(context.db, recipient.user_id)
  if (!viewer) return undefined
  const language = languageOf(recipient.locale)
  const texts = textsIn(language)
  const { user_id, organization_id } = recipient
  const token = unsubscribeToken(signingKey, { kind: 'work', user_id, organization_id })
  // The mail is about this organisation, also to an Admin.
  const member = { ...viewer, isAdmin: false, memberships: [{ organization_id, role: recipient.role }] }
  const all = await listSections(context, member, recipient, countHeld)
  if (all.length === 0) return undefined
  const toRow = ({ id, summary, address, target }: DailyRow) => ({
    text: `${toOneLine(summary, TEXT_MAX)} (#${id})`,
    url: urls.at(`/issues/${id}`),
    lines: [address && toOneLine(address, TEXT_MAX), target && describeTarget(target, now, language)?.words].flatMap(
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
      url: urls.at(`/work?organization_id=${organization_id}`),
      closing: [texts('workMail.reason', { organization })],
      settingsLink: { text: texts('workMail.settings'), url: urls.at('/account/mails') },
      unsubscribe: { text: texts('workMail.unsubscribe'), url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  return { ...mail, headers: mailingListHeaders(urls, LIST, token) }
}

const createDailyComposer =
  (countHeld: CountHeld): CreateComposer =>
  async (mails, context) => {
    const recipients = await listDailyRecipients(
      context.db,
      mails.map(({ message_id }) => message_id),
    )
    const composeOne = composeOneByOne(async ({ email_address_id, subject_id }) => {
      const recipient = recipients.find((one) => one.email_address_id === email_address_id && one.organization_id === subject_id)
      return recipient && composeDailyMail(recipient, context, countHeld)
    })
    return composeOne(mails, context)
  }

/** Composers of the mails of organisations to their members and inboxes. */
export const staffMailComposers = (countHeld: CountHeld): FurtherComposers => ({
  work: createDailyComposer(countHeld),
  inbox: composeOneByOne(composeInboxMail),
})
