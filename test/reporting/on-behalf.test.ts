import { beforeEach, describe, expect, it } from 'vitest'

import type { StaffIssue } from '../../src/staff/schema.ts'
import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { askClosings } from '../../jobs/handlers/batch-jobs.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createTemporaryFileStore } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { sendPendingMails } from '../notifications/mail-worker.ts'
import { createMailbox } from '../notifications/notifier.ts'

const app = useApp()
let [roads, pothole] = [0, 0]
let clerk: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  pothole = await app.create.requestType({ organization: roads, title: 'Pothole' })
  clerk = await app.create.user({ name: 'Carl West', memberOf: [{ organization: roads }] })
})

const caller = {
  name: 'Rosa Diaz',
  email: 'rosa.diaz@example.org',
  phone: '+1 303 555 0142',
  language: 'es',
  channel: 'phone',
  consent: true,
}
const report = (user: TestUser, on_behalf: unknown, request_type_id: number | 'other' = pothole) =>
  app.as.user(user).send('POST', '/api/v2/issues', {
    body: { ...GREEN, address: 'Elm Street', request_type_id, answers: { summary: 'Deep hole' }, on_behalf },
  })

describe('a report for a caller', () => {
  it('has no account, keeps the contact data for staff, names the employee in the log and sends a receipt', async () => {
    const { status, body } = await report(clerk, caller)
    const { id } = body as { id: number }

    const open = await app.as.anonymous.get(`/issues/${id}`)
    const staff = await app.as.user(clerk).get(`/issues/${id}`)
    const side = (await app.as.user(clerk).get(`/issues/${id}/work`)).body as StaffIssue
    const row = await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
    const mail = await app.db.prisma.mail.findFirstOrThrow({ where: { kind: 'receipt' } })

    expect(status).toBe(201)
    expect(row).toMatchObject({ source: 'phone', reporter_id: null, locale: 'es' })
    expect(open.body).toMatchObject({ reporter: { id: 0 }, questions: [] })
    expect(JSON.stringify(staff.body)).toContain('Rosa Diaz')
    expect(side.log).toMatchObject([
      { kind: 'report', actor: { name: 'Carl West' }, after: { channel: 'phone' }, is_public: false },
    ])
    expect(mail).toMatchObject({ email: 'rosa.diaz@example.org', locale: 'es', issue_id: id })
  })

  const createServices = () => {
    const { mailer, sent } = createMailbox()
    const services: JobServices = {
      ...{ db: app.db, mailer, log: silentLog, files: createTemporaryFileStore(), endpoints: app.services.endpoints },
      ...{ urls: urlsFrom(() => PUBLIC_URL), clock: () => new Date(), queue: { enqueue: () => Promise.resolve('') } },
    }
    return { services, sent }
  }
  const mailChanges = async (services: JobServices) => {
    const pending = await app.db.prisma.outboxDelivery.findMany({ where: { handler: 'notify', delivered_at: null } })
    for (const { event_id, handler } of pending)
      await deliver({ event_id: Number(event_id), handler }, services, new AbortController().signal)
    await sendPendingMails(services)
  }
  const act = (id: number, name: string, body: object) => app.as.user(clerk).send('POST', `/api/v2/issues/${id}/${name}`, { body })

  it('mails the changes of its status to the address of the caller, as the preview says, until the link in the mail is used', async () => {
    const { id } = (await report(clerk, caller)).body as { id: number }
    const { services, sent } = createServices()
    await sendPendingMails(services)
    const closing = { comment: 'Repaired.', outcome: 'fixed' }

    await act(id, 'comments', { comment: 'Which side?' })
    await act(id, 'acknowledge', { comment: 'We look at it.' })
    const preview = await act(id, 'preview', { ...closing, transition: 'close' })
    await mailChanges(services)
    const [, unsubscribe = ''] = /<(.*)>/.exec(sent[1]?.headers?.['List-Unsubscribe'] ?? '') ?? []
    await app.as.anonymous.send('POST', `/unsubscribe${new URL(unsubscribe).search}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': '' },
      body: 'List-Unsubscribe=One-Click',
    })
    await act(id, 'close', closing)
    await mailChanges(services)

    expect(sent.map(({ to }) => to)).toEqual([caller.email, caller.email])
    expect(sent[1]?.text).toContain('We look at it.')
    expect(sent[1]?.text).toContain('porque el personal ha registrado tu reporte')
    expect(preview.body).toMatchObject({ recipients: { reporter: 1, followers: 0, watchers: 0 } })
  })

  it('asks the caller three days after its closing whether it is fixed, and takes the answer without a login', async () => {
    const { id } = (await report(clerk, caller)).body as { id: number }
    const { services, sent } = createServices()
    await act(id, 'close', { comment: 'Repaired.', outcome: 'fixed' })
    await sendPendingMails(services)
    const before = sent.length

    await askClosings({}, { db: app.db, log: silentLog, clock: () => new Date(Date.now() + 3 * 86_400_000) })
    await sendPendingMails(services)
    const [mail] = sent.slice(before)
    const [, token = ''] = /\/closings\?token=(\S+)&fixed=no/.exec(mail?.text ?? '') ?? []
    const browser = createBrowser(app.fastify)
    const page = await browser.get(`/closings?token=${token}&fixed=no`)
    const users = await app.db.prisma.user.count()
    const forged = await browser.get(`/closings?token=${token.replace(/^h\.\w/, 'h._')}&fixed=no`)
    const answers = [
      await browser.post('/closings', { token, fixed: 'no', comment: 'Sigue roto.' }),
      await browser.post('/closings', { token, fixed: 'yes' }),
    ]

    expect(mail).toMatchObject({ to: caller.email, subject: `¿Está arreglado? Deep hole (#${id})` })
    expect([page.status, forged.status, ...answers.map(({ status }) => status)]).toEqual([200, 404, 200, 422])
    expect(page.visibleText).toContain('Tu respuesta crea una cuenta')
    expect(await app.db.prisma.user.count()).toBe(users + 1)
    expect(await app.db.prisma.issue.findUnique({ where: { id } })).toMatchObject({ status: 'Open' })
    expect(await app.db.prisma.closingAnswer.findMany()).toMatchObject([{ issue_id: id, is_fixed: false }])
  })

  it('asks an account that registered with the address of the caller for its password before it loses the address', async () => {
    const { id } = (await report(clerk, caller)).body as { id: number }
    const rosa = await app.create.user({ name: 'Rosa', password_hash: await hashPassword('battery staple') })
    await app.db.prisma.emailAddress.create({ data: { user_id: rosa.id, email: caller.email } })
    const { services, sent } = createServices()
    await act(id, 'close', { comment: 'Repaired.', outcome: 'fixed' })
    await askClosings({}, { db: app.db, log: silentLog, clock: () => new Date(Date.now() + 3 * 86_400_000) })
    await sendPendingMails(services)
    const [, token = ''] = /\/closings\?token=(\S+)&fixed=no/.exec(sent.at(-1)?.text ?? '') ?? []
    const browser = createBrowser(app.fastify)
    const answer = (more = {}) => browser.post('/closings', { token, fixed: 'yes', ...more })

    const page = await browser.get(`/closings?token=${token}&fixed=yes`)
    const refused = [await answer(), await answer({ password: 'another password' })]
    const before = await app.db.prisma.closingAnswer.count()
    const done = await answer({ password: 'battery staple' })

    expect(page.visibleText).toContain('Se registró una cuenta con esta dirección')
    expect([...refused, done].map(({ status }) => status)).toEqual([422, 422, 200])
    expect(before).toBe(0)
    expect(await app.db.prisma.closingAnswer.findMany()).toMatchObject([{ user_id: rosa.id, is_fixed: true }])
    expect(
      (await app.db.prisma.emailAddress.findFirst({ where: { user_id: rosa.id, email: caller.email } }))?.confirmed_at,
    ).not.toBeNull()
  })

  it('gives the address to a new account if the caller leaves the password empty', async () => {
    const { id } = (await report(clerk, caller)).body as { id: number }
    const mallory = await app.create.user({ name: 'Mallory', password_hash: await hashPassword('battery staple') })
    await app.db.prisma.emailAddress.create({ data: { user_id: mallory.id, email: caller.email } })
    const { services, sent } = createServices()
    await act(id, 'close', { comment: 'Repaired.', outcome: 'fixed' })
    await askClosings({}, { db: app.db, log: silentLog, clock: () => new Date(Date.now() + 3 * 86_400_000) })
    await sendPendingMails(services)
    const [, token = ''] = /\/closings\?token=(\S+)&fixed=no/.exec(sent.at(-1)?.text ?? '') ?? []

    const done = await createBrowser(app.fastify).post('/closings', { token, fixed: 'yes', password: '' })

    expect(done.status).toBe(200)
    expect(await app.db.prisma.emailAddress.count({ where: { user_id: mallory.id, email: caller.email } })).toBe(0)
  })

  it('gets one mail with its number, which fits a call', async () => {
    const { id } = (await report(clerk, caller)).body as { id: number }
    const { services, sent } = createServices()

    await sendPendingMails(services)

    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ to: caller.email, subject: `Tu reporte tiene el número #${id}` })
    expect(sent[0]?.text).toContain('por teléfono o en la')
    expect(sent[0]?.text).toContain(`${PUBLIC_URL}/issues/${id}`)
  })

  it('about a community type shows the contact data to members of the organisations whose area covers it, and to no others', async () => {
    const community = await app.create.requestType({ title: 'Noise' })
    const moderator = await app.create.user({ memberOf: [{ organization: roads, role: 'moderator' }] })
    const distant = await app.create.organization({ around: FAR_AWAY })
    const elsewhere = await app.create.user({ memberOf: [{ organization: distant, role: 'owner' }] })
    const { id } = (await report(clerk, caller, community)).body as { id: number }

    const shows = async (user: TestUser) => (await app.as.user(user).get(`/issues/${id}`)).text.includes(caller.phone)

    expect([await shows(clerk), await shows(moderator)]).toEqual([true, true])
    expect([await shows(elsewhere), await shows(await app.create.user())]).toEqual([false, false])
    const tag = async () => (await app.as.user(clerk).get(`/issues/${id}`)).headers['etag']
    const former = await tag()
    await app.db.execute(sql`DELETE FROM issue_answers a WHERE a.issue_id = ${id} AND a.is_contact`)
    expect([await shows(clerk), (await tag()) === former]).toEqual([false, false])
  })

  it('is refused to residents and to employees of other organisations, and leaves nothing', async () => {
    const parks = await app.create.organization({ name: 'Parks' })
    const elsewhere = await app.create.user({ memberOf: [{ organization: parks }] })
    const resident = await app.create.user()

    const answers = [await report(elsewhere, caller), await report(resident, caller, 'other')]

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect(await app.db.prisma.issue.count()).toBe(0)
  })

  it('is not held because other callers have said the same', async () => {
    const statuses = []
    for (let caller = 0; caller < 4; caller++) statuses.push((await report(clerk, { channel: 'phone' })).status)

    expect(statuses).toEqual([201, 201, 201, 201])
  })

  it('needs consent with contact data, and none without', async () => {
    const { consent: _, ...withoutConsent } = caller

    expect(await report(clerk, withoutConsent)).toMatchObject({
      status: 422,
      body: { errors: { 'on_behalf[consent]': [expect.any(String)] } },
    })
    expect((await report(clerk, { channel: 'counter' })).status).toBe(201)
  })

  it.each([
    ['x', ['on_behalf']],
    [{ channel: 'pigeon' }, ['on_behalf[channel]']],
    [{ channel: 'phone', email: 'x', consent: true }, ['on_behalf[email]']],
    [{ channel: 'phone', phone: '5'.repeat(51), language: 'xx' }, ['on_behalf[phone]', 'on_behalf[language]']],
  ])('names the wrong fields of %j', async (on_behalf, fields) => {
    const { status, body } = await report(clerk, on_behalf)

    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, fields])
  })
})
