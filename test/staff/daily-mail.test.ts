import { beforeEach, describe, expect, it } from 'vitest'

import { createDailyMails } from '../../jobs/handlers/batch-jobs.ts'
import { createDueDailyMails, nextDailyMailAt } from '../../src/staff/mails/daily-mail.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { FAR_AWAY, type TestUser } from '../helpers/factories.ts'
import { setTarget } from '../helpers/set-target.ts'
import { useApp } from '../helpers/use-app.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'

const app = useApp()
const DAY_MS = 86_400_000
const weekly_hours = { monday: [{ from: '08:00', to: '16:00' }] }

let [roads, potholes] = [0, 0]
let [ada, ben]: TestUser[] = []
/** The mails are sent within hours of their time, so the tests use today. */
let now: Date

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  potholes = await app.create.requestType({ organization: roads })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  ben = await app.create.user({ name: 'Ben Stone', memberOf: [{ organization: roads, role: 'moderator' }], locale: 'fr' })
  now = new Date()
})

const as = (user: TestUser | undefined) => app.as.user(user as TestUser)

/** Creates and sends the mails that are due, and returns them by recipient. */
async function sendDaily(at = now) {
  const box = createMailbox()
  const { services, send } = createNotifier(app.db, box.mailer, { clock: () => at })
  await createDailyMails({}, services)
  await send()
  return new Map(box.sent.map((mail) => [mail.to, mail]))
}

/** The first run only computes the time of the first mail. */
async function start(): Promise<void> {
  await app.db.prisma.organization.updateMany({ data: { daily_mail_at: new Date(now.getTime() - 60_000) } })
}

const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)

async function createIssue(summary: string, { age = 72, due }: { age?: number; due?: number } = {}, more: object = {}) {
  const id = await app.create.issue({ request_type: potholes, summary, created_at: hours(-age).toISOString(), ...more })
  if (due !== undefined) await setTarget(app.db, id, { started_at: hours(-age), close_by: hours(due) })
  return id
}

describe('the daily mail', () => {
  it('lists new, late and soon due issues and those of the member, each with links', async () => {
    await start()
    const fresh = await createIssue('Deep pothole', { age: 2 })
    const late = await createIssue('Old pothole', { due: -50 }, { status: 'Acknowledged', assignee: ada })
    await createIssue('Next pothole', { due: 5 })
    await createIssue('Later pothole', { due: 50 })
    await createIssue('Closed pothole', { due: -5 }, { status: 'Closed' })
    const shared = await app.create.issue({ summary: 'Of the community', created_at: hours(-1).toISOString() })
    await app.create.issue({ summary: 'Far away', at: FAR_AWAY, created_at: hours(-1).toISOString() })

    const mails = await sendDaily()

    const mail = mails.get(ada?.email ?? '')
    expect(mail?.subject).toBe('2 new, 1 late, 1 due soon, 1 assigned to you – Roads')
    for (const text of [
      `Deep pothole (#${fresh})`,
      `Of the community (#${shared})`,
      `/issues/${late}`,
      '2 days late to close',
      'close in 5 hours',
      `/work?organization_id=${roads}&assignee=me`,
    ])
      expect(mail?.text).toContain(text)
    expect(mail?.text).not.toMatch(/Later|Closed|Far away/)
    expect(mail?.headers).toMatchObject({
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'List-Id': 'Fixpoint work <work.fixpoint.test>',
    })
    expect(mails.get(ben?.email ?? '')?.subject).toBe('2 nouveaux, 1 en retard, 1 bientôt dû – Roads')
  })

  it('says how many offers and held items wait, to those who decide on them', async () => {
    await start()
    const parks = await app.create.organization({ name: 'Parks' })
    const other = await app.create.requestType({ organization: parks })
    const issue_id = await app.create.issue({ request_type: other, created_at: hours(-72).toISOString() })
    await app.db.prisma.issueTransfer.create({ data: { issue_id, from_id: parks, to_id: roads, offered_at: now } })
    for (const type of [potholes, other]) {
      const subject_id = await createIssue('Held', {}, { request_type: type, moderation_state: 'held' })
      await app.db.prisma.moderationItem.create({ data: { subject_type: 'issue', subject_id, reasons: ['words'], original: {} } })
    }

    const mails = await sendDaily()

    expect(mails.get(ada?.email ?? '')?.subject).toBe('1 offered to you – Roads')
    expect(mails.get(ada?.email ?? '')?.text).toContain(`/work?organization_id=${roads}`)
    expect(mails.get(ben?.email ?? '')?.subject).toBe('1 à vérifier – Roads')
    expect(mails.get(ben?.email ?? '')?.text).toMatch(/\/moderation/)
  })

  it('lists ten issues of a section, and how many there are', async () => {
    await start()
    for (let n = 0; n < 12; n++) await createIssue(`Pothole ${n}`, { due: -n - 1 })

    const mail = (await sendDaily()).get(ada?.email ?? '')

    expect(mail?.subject).toBe('12 late – Roads')
    expect(mail?.text.match(/\* Pothole/g)).toHaveLength(10)
    expect(mail?.text).toContain(`/work?organization_id=${roads}&late=acknowledge,close`)
  })

  it('is sent once a day, also by two workers, and once after an outage', async () => {
    await start()
    await createIssue('Pothole', { due: -1 })

    const counts = await Promise.all([1, 2].map(() => app.db.transaction((tx) => createDueDailyMails(tx, now, 10))))
    expect(counts.map(({ mails }) => mails).toSorted()).toEqual([0, 2])
    expect((await sendDaily()).size).toBe(2)
    expect((await sendDaily()).size).toBe(0)

    const later = new Date(now.getTime() + 5 * DAY_MS)
    await app.db.transaction((tx) => createDueDailyMails(tx, later, 10))
    await app.db.transaction((tx) => createDueDailyMails(tx, later, 10))
    expect(await app.db.prisma.mail.count({ where: { kind: 'work' } })).toBe(4)
  })

  it('is due at seven in the time zone of the first calendar, else in UTC', async () => {
    const parks = await app.create.organization()
    await app.db.prisma.calendar.create({
      data: { organization_id: roads, name: 'Office', time_zone: 'America/Denver', weekly_hours },
    })

    await app.db.transaction((tx) => createDueDailyMails(tx, new Date('2026-11-20T20:00:00Z'), 10))

    const times = await app.db.prisma.organization.findMany({ orderBy: { id: 'asc' }, select: { id: true, daily_mail_at: true } })
    expect(times).toEqual([
      { id: roads, daily_mail_at: new Date('2026-11-21T14:00:00Z') },
      { id: parks, daily_mail_at: new Date('2026-11-21T07:00:00Z') },
    ])
    expect(await app.db.prisma.mail.count()).toBe(0)
  })

  it('is not sent without anything to do, to members who turned it or all mails off, or to former members', async () => {
    await start()
    expect((await sendDaily()).size).toBe(0)

    await start()
    await createIssue('Pothole', { due: -1 })
    const put = (user: TestUser | undefined, daily_mail: boolean) =>
      as(user).send('PUT', `/api/v2/organizations/${roads}/daily_mail`, { body: { daily_mail } })
    expect(await put(ada, false)).toMatchObject({ status: 200, body: { daily_mail: false } })
    await app.db.prisma.user.update({ where: { id: ben?.id ?? 0 }, data: { issue_mails: false } })
    expect((await sendDaily()).size).toBe(0)
    expect((await put(await app.create.user(), false)).status).toBe(403)

    await start()
    await put(ada, true)
    const box = createMailbox()
    const { services, send } = createNotifier(app.db, box.mailer)
    await createDailyMails({}, services)
    await app.db.prisma.organizationMember.deleteMany()
    await send()
    expect(box.sent).toEqual([])
  })

  it('has a setting on the page of mails, for members only', async () => {
    const browser = await createLoggedInBrowser(app, ada as TestUser)
    expect((await browser.get('/account/mails')).visibleText).toContain('Daily mail of Roads You get one mail a day')

    const saved = await browser.post(`/account/mails/organizations/${roads}`, { daily_mail: 'false' })

    expect(saved.headers['location']).toBe('/account/mails?done=saved')
    expect((await browser.get('/account/mails')).visibleText).toContain(
      'You get no daily mail of this organisation. Turn the daily mail on',
    )
    const resident = await createLoggedInBrowser(app, await app.create.user())
    expect((await resident.get('/account/mails')).visibleText).not.toContain('Daily mail')
  })

  it('ends by its unsubscribe link for this organisation only', async () => {
    await start()
    await createIssue('Pothole', { due: -1 })
    const link =
      /<http:\/\/fixpoint\.test(.*)>/.exec((await sendDaily()).get(ada?.email ?? '')?.headers?.['List-Unsubscribe'] ?? '')?.[1] ??
      ''
    const wanted = async () =>
      (await app.db.prisma.organizationMember.findFirstOrThrow({ where: { user_id: ada?.id ?? 0 } })).daily_mail

    expect((await app.as.anonymous.send('GET', link)).text).toContain('Roads')
    expect(await wanted()).toBe(true)
    expect((await app.as.anonymous.send('POST', link)).status).toBe(200)
    expect(await wanted()).toBe(false)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await app.as.anonymous.send('POST', link, { body: 'do=undo-work', headers })
    expect(await wanted()).toBe(true)
  })
})

describe('nextDailyMailAt', () => {
  it.each([
    ['before seven', '2026-11-20T13:59:59Z', 'America/Denver', '2026-11-20T14:00:00Z'],
    ['at seven itself', '2026-11-20T14:00:00Z', 'America/Denver', '2026-11-21T14:00:00Z'],
    ['on the day the clocks change', '2026-10-31T14:00:00Z', 'America/Denver', '2026-11-01T14:00:00Z'],
    ['far in the east', '2026-11-20T20:00:00Z', 'Pacific/Auckland', '2026-11-21T18:00:00Z'],
  ])('is the next seven o’clock %s', (_, at, zone, next) => {
    expect(nextDailyMailAt(new Date(at), zone)).toEqual(new Date(next))
  })
})
