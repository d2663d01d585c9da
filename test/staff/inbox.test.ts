import { beforeEach, describe, expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'

const app = useApp()
const INBOX = 'Roads.Inbox@city.example'
const never = new AbortController().signal
let [roads, potholes] = [0, 0]

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  potholes = await app.create.requestType({
    organization: roads,
    title: 'Pothole',
    questions: [
      { built_in: 'summary', question: 'What?', question_type: 'text' },
      { built_in: 'description', question: 'More?', question_type: 'textarea' },
      { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
    ],
  })
  await app.db.prisma.organization.update({ where: { id: roads }, data: { inbox_email: INBOX } })
})

async function report(type: number | string = potholes): Promise<number> {
  const [telephone] = await queryRows<{ id: number }>(
    app.db,
    sql`SELECT q.id FROM request_type_questions q WHERE q.answer_kept_private`,
  )
  const answers = {
    summary: 'Deep hole',
    description: 'A wheel fits in.',
    ...(type === potholes ? { [String(telephone?.id)]: '555 0142 in the evening' } : {}),
  }
  const body = { ...GREEN, address: '250 Church St', request_type_id: type, answers, anonymize_reporter: true }
  const user = await app.create.user({ name: 'Rosa Quiet' })
  const created = await app.as.user(user).send('POST', '/api/v2/issues', { body })
  return (created.body as { id: number }).id
}

const box = createMailbox()
/** Runs the notifications of all events, twice, and sends the mails. */
async function sendMails() {
  box.sent.length = 0
  const { services, send } = createNotifier(app.db, box.mailer)
  const events = await queryRows<{ event_id: number }>(
    app.db,
    sql`SELECT d.event_id FROM outbox_deliveries d WHERE d.handler = 'notify' ORDER BY d.event_id`,
  )
  for (const { event_id } of [...events, ...events]) await deliver({ event_id, handler: 'notify' }, services, never)
  await send()
  return box.sent.filter(({ to }) => to.includes('city.example'))
}

describe('the inbox of an organisation', () => {
  it('gets one mail about each new report, with its public texts only and no automatic replies', async () => {
    const id = await report()

    const mails = await sendMails()

    expect(mails).toHaveLength(1)
    const [mail] = mails
    expect(mail).toMatchObject({ to: INBOX, subject: `New report: Deep hole (#${id})` })
    expect(mail?.headers).toMatchObject({
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    for (const text of ['Pothole', '250 Church St', 'A wheel fits in.', `/issues/${id}`]) expect(mail?.text).toContain(text)
    expect(`${mail?.text} ${mail?.html}`).not.toMatch(/Rosa|555/)
    expect(await sendMails()).toEqual([])
    const stored = await app.db.prisma.mail.findMany({ where: { kind: 'inbox' } })
    expect(stored).toMatchObject([{ email: null, sent_at: expect.any(Date) as Date }])
  })

  it('gets no mail about community reports, held reports, and after it was removed', async () => {
    await report('other')
    await app.db.prisma.organization.update({ where: { id: roads }, data: { hold_everything: true } })
    await report()
    expect(await sendMails()).toEqual([])

    await app.db.prisma.organization.update({ where: { id: roads }, data: { hold_everything: false } })
    await report()
    const { services, send } = createNotifier(app.db, box.mailer)
    const event = await app.db.prisma.event.findFirstOrThrow({ where: { type: 'issue.reported' }, orderBy: { id: 'desc' } })
    await deliver({ event_id: Number(event.id), handler: 'notify' }, services, never)
    await app.db.prisma.organization.update({ where: { id: roads }, data: { inbox_email: null } })
    await send()
    expect(box.sent.filter(({ to }) => to === INBOX)).toEqual([])
  })

  it('is removed by the link of its mails, and not by the link of an earlier address', async () => {
    await report()
    const [mail] = await sendMails()
    const link = /<http:\/\/fixpoint\.test(.*)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''
    const inbox = async () => (await app.db.prisma.organization.findUniqueOrThrow({ where: { id: roads } })).inbox_email

    await app.db.prisma.organization.update({ where: { id: roads }, data: { inbox_email: 'new@city.example' } })
    expect((await app.as.anonymous.send('POST', link)).status).toBe(200)
    expect(await inbox()).toBe('new@city.example')

    await app.db.prisma.organization.update({ where: { id: roads }, data: { inbox_email: INBOX } })
    expect((await app.as.anonymous.send('GET', link)).text).toContain('Roads')
    expect((await app.as.anonymous.send('POST', link)).text).toContain('An owner of the organisation can enter it again')
    expect(await inbox()).toBeNull()
  })
})
