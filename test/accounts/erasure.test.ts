import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'

import { sendMails } from '../../jobs/handlers/send-mails.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { exportData } from '../../src/accounts/export-data.ts'
import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import type { OutgoingMail } from '../../src/mail/mailer.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { storeText } from '../../src/storage/reports.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'
import { createMailer } from '../jobs/mails.ts'
import { readLinkToken } from '../notifications/mail-worker.ts'

const app = useApp()

const PASSWORD = 'correct horse'
const hash = await hashPassword(PASSWORD)
let ada: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: hash })
})

/** Runs all deliveries and sends all mails; returns these. */
async function work(): Promise<OutgoingMail[]> {
  const sent: OutgoingMail[] = []
  const { mailer, ...others } = createMailer()
  const send = (mail: OutgoingMail) => Promise.resolve((sent.push(mail), { outcome: 'sent', reply: '250 OK' } as const))
  const services = {
    ...{ ...others, mailer: { ...mailer, send }, db: app.db, files: app.services.files, log: silentLog, clock: () => new Date() },
    queue: { enqueue: () => Promise.resolve('') },
  }
  const pending = () =>
    queryRows<{ event_id: number; handler: string }>(
      app.db,
      sql`SELECT d.event_id, d.handler FROM outbox_deliveries d WHERE d.delivered_at IS NULL ORDER BY d.event_id, d.handler`,
    )
  for (let due = await pending(); due.length > 0; due = await pending())
    for (const delivery of due) await deliver(delivery, services, new AbortController().signal)
  await sendMails({}, services, new AbortController().signal)
  return sent
}
const erase = (body: object, person = ada) => app.as.user(person).send('DELETE', '/api/v2/profile', { body })
const users = async () => (await app.db.prisma.user.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name)

describe('DELETE /profile', () => {
  it('with the password deletes the account at once, leaves its content without a name, and mails a receipt', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    const issue = await app.create.issue({ reporter: ada, summary: 'Pothole' })
    const other = await app.create.issue({ reporter: ben })
    await app.create.comment({ on: other, by: ada, comment: 'Seen.' })
    await app.create.vote({ on: other, by: ada })
    await app.create.formAnswer({ on: issue, question: 'Phone?', answer: 'private 5550', answer_kept_private: true })

    const answer = await erase({ current_password: PASSWORD })
    const listed = await Array.fromAsync(app.services.files.list(['erased/']))
    const mails = await work()

    expect([answer.status, answer.text, await users()]).toEqual([204, '', ['Ben Stone']])
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([[ada.email, 'Your account is deleted']])
    expect(mails[0]?.text).toContain('stay without a name')
    const left = await app.as.anonymous.get(`/issues/${issue}`)
    expect(left.body).toMatchObject({ summary: 'Pothole', reporter: { id: 0 } })
    expect((await app.as.anonymous.get(`/issues/${other}`)).body).toMatchObject({ vote_count: 0 })
    expect(await app.db.prisma.issueAnswer.count()).toBe(0)
    expect(await app.db.prisma.comment.findMany({ select: { comment: true, commenter_id: true } })).toEqual([
      { comment: 'Seen.', commenter_id: null },
    ])
    expect((await app.as.user(ada).get('/profile')).status).toBe(401)
    expect(await Array.fromAsync(app.services.files.list(['erased/']))).toHaveLength(1)
    expect(listed.map(({ key }) => key)).toEqual([expect.stringMatching(/^erased\/[0-9a-f]{64}-keep$/)])
  })

  it('deletes the content too if the person chooses so, with its pictures', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    const issue = await app.create.issue({ reporter: ada })
    const other = await app.create.issue({ reporter: ben })
    await app.create.comment({ on: other, by: ada })
    await app.create.comment({ on: other, by: ben, comment: 'Stays.' })
    const place = await app.create.place()
    await app.create.question({ place: place.id, by: ada })
    const keys = [newFileKey('jpg'), newFileKey('jpg')]
    for (const key of keys) await storeText(app.services.files, key, 'a picture')
    const [full_key = '', kept = ''] = keys
    const image = { content_type: 'image/jpeg', bytes: 9, width: 1, height: 1 }
    await app.db.prisma.medium.create({ data: { ...image, issue_id: issue, full_key } })
    await app.db.prisma.medium.create({ data: { ...image, issue_id: other, full_key: kept } })

    const answer = await erase({ current_password: PASSWORD, content: 'delete' })

    expect([answer.status, (await app.as.anonymous.get(`/issues/${issue}`)).status]).toEqual([204, 404])
    expect((await app.as.anonymous.get('/issues')).body).toMatchObject({ metadata: { pagination: { entries: 1 } } })
    expect(await app.db.prisma.comment.findMany({ select: { comment: true } })).toEqual([{ comment: 'Stays.' }])
    expect(await app.db.prisma.question.count()).toBe(0)
    expect([await app.services.files.size(full_key), await app.services.files.size(kept)]).toEqual([undefined, 9])
    expect((await work()).map(({ text }) => /were deleted too/.test(text))).toEqual([true])
  })

  it('keeps a report and a question below which others wrote, without the texts, pictures and name of the person', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    const issue = await app.create.issue({
      reporter: ada,
      summary: 'A secret',
      description: 'of Ada',
      address: '5 Elm St',
      locale: 'es',
    })
    const own = await app.create.issue({ reporter: ada })
    await app.create.formAnswer({ on: issue, question: 'Where?', answer: 'at my door' })
    await app.create.comment({ on: issue, by: ada, comment: 'More of Ada.' })
    const reply = await app.create.comment({ on: issue, by: ben, comment: 'Stays.' })
    await app.create.comment({ on: own, by: ada })
    const keys = [newFileKey('jpg'), newFileKey('jpg')]
    for (const key of keys) await storeText(app.services.files, key, 'a picture')
    const [full_key = '', kept = ''] = keys
    const image = { content_type: 'image/jpeg', bytes: 9, width: 1, height: 1, issue_id: issue }
    await app.db.prisma.medium.create({ data: { ...image, full_key } })
    await app.db.prisma.medium.create({ data: { ...image, comment_id: reply, full_key: kept } })
    const place = await app.create.place()
    const question = await app.create.question({ place: place.id, by: ada })
    await app.create.answer({ on: question, by: ben })

    await erase({ current_password: PASSWORD, content: 'delete' })

    const { body } = await app.as.anonymous.get(`/issues/${issue}`)
    expect(body).toMatchObject({
      ...{ summary: 'Eliminado por quien lo escribió', description: null, address: null, reporter: { id: 0 }, questions: [] },
      comments: [{ comment: 'Stays.', commenter: { name: 'Ben Stone' }, media: { image_full: expect.any(String) as string } }],
      media: { image_full: null },
    })
    expect((await app.as.anonymous.get(`/issues/${own}`)).status).toBe(404)
    expect(await app.db.prisma.question.findMany({ select: { question: true, asker_id: true } })).toEqual([
      { question: 'Deleted by its author', asker_id: null },
    ])
    expect(await app.db.prisma.answer.count()).toBe(1)
    expect([await app.services.files.size(full_key), await app.services.files.size(kept)]).toEqual([undefined, 9])
  })

  it('without the password mails a link to a page whose button deletes the account', async () => {
    const answer = await erase({})
    const [mail] = await work()
    const token = mail ? readLinkToken(mail) : ''
    const browser = createBrowser(app.fastify)
    const opened = await browser.get(`/erasure?token=${token}`)

    expect([answer.status, mail?.subject, opened.status, await users()]).toEqual([202, 'Delete your account', 200, ['Ada Park']])
    expect(opened.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'private, no-store' })
    const pressed = await browser.post('/erasure', { token })
    const again = await browser.post('/erasure', { token })
    expect([pressed.status, pressed.headers['location'], again.status, await users()]).toEqual([303, '/erasure/done', 422, []])
    expect((await browser.get('/erasure/done')).visibleText).toContain('Your account is deleted')
  })

  it('returns 401 without a login, and 422 for a wrong password, an unknown choice and the only owner of an organisation', async () => {
    const organization = await app.create.organization()
    const owner = await app.create.user({ password_hash: hash, memberOf: [{ organization, role: 'owner' }] })

    const answers = [
      await app.as.anonymous.send('DELETE', '/api/v2/profile', { body: { current_password: PASSWORD } }),
      await erase({ current_password: 'wrong' }),
      await erase({ current_password: PASSWORD, content: 'some' }),
      await erase({ current_password: PASSWORD }, owner),
    ]

    expect(answers.map(({ status, body }) => [status, Object.keys(body ?? {})])).toEqual([
      [401, expect.anything()],
      [422, ['errors']],
      [422, ['content']],
      [422, ['base']],
    ])
    expect(await app.db.prisma.user.count()).toBe(2)
  })

  it('sends no link to an account without a confirmed address, and at most five a day', async () => {
    const unconfirmed = await app.create.user()
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: unconfirmed.id }, data: { confirmed_at: null } })

    const refused = await erase({}, unconfirmed)
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await erase({})).status)

    expect([refused.status, Object.keys(refused.body as object)]).toEqual([422, ['base']])
    expect(statuses).toEqual([202, 202, 202, 202, 202, 422])
  })
})

describe('POST /profile/export', () => {
  it('mails a link to a zip of all data and pictures, which ends with the account', async () => {
    const issue = await app.create.issue({ reporter: ada, summary: 'A report of Ada', assignee: ada })
    const key = newFileKey('png')
    await storeText(app.services.files, key, 'the avatar')
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { avatar_full: key } })
    await app.create.formAnswer({ on: issue, question: 'Phone?', answer: 'private 5550', answer_kept_private: true })
    const foreign = newFileKey('png')
    await storeText(app.services.files, foreign, 'the picture of Ben')
    await app.create.comment({ on: issue, by: ada, comment: `Look at ${foreign}` })

    const answer = await app.as.user(ada).send('POST', '/api/v2/profile/export')
    const [mail] = await work()
    const path = `/export?token=${mail ? readLinkToken(mail) : ''}`
    const { statusCode, headers, rawPayload } = await app.fastify.inject(path)

    expect([answer.status, mail?.to, mail?.subject, statusCode]).toEqual([202, ada.email, 'Your data is ready', 200])
    expect(headers).toMatchObject({ 'content-type': 'application/zip', 'cache-control': 'private, no-store' })
    const text = rawPayload.toString('latin1')
    for (const word of ['data.json', key, 'the avatar', 'A report of Ada', 'private 5550', ada.email, 'Ada Park'])
      expect(text).toContain(word)
    expect(text).not.toMatch(/_hash|token_hash|"priority"|assignee|argon2|the picture of Ben/)
    await erase({ current_password: PASSWORD })
    await work()
    expect((await app.fastify.inject(path)).statusCode).toBe(422)
    expect(await Array.fromAsync(app.services.files.list(['exports/']))).toEqual([])
  })

  it('writes all rows of each kind, which it reads in pages', async () => {
    await app.db.prisma.issue.createMany({
      data: Array.from({ length: 1_001 }, (_, n) => ({ reporter_id: ada.id, summary: `Report ${n}`, lng: 0, lat: 0 })),
    })

    await exportData(app.services, ada.id)

    const file = await app.services.files.open(`exports/${ada.id}.zip`)
    const zip = (await buffer(file?.stream ?? Readable.from([]))).toString('latin1')
    const data = JSON.parse(zip.slice(zip.indexOf('{"id"'), zip.lastIndexOf(']}\n') + 2)) as {
      name: string
      reported_issues: { id: number }[]
    }
    expect([data.name, new Set(data.reported_issues.map(({ id }) => id)).size]).toEqual(['Ada Park', 1_001])
  })

  it('returns 401 without a login, and 422 for the fourth request of a day', async () => {
    const anonymous = await app.as.anonymous.send('POST', '/api/v2/profile/export')
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await app.as.user(ada).send('POST', '/api/v2/profile/export')).status)

    expect([anonymous.status, statuses]).toEqual([401, [202, 202, 202, 422]])
  })
})

describe('/account/data', () => {
  it('requests a copy, and deletes the account with the password or by a link', async () => {
    const browser = await createLoggedInBrowser(app, ada)
    const copy = await browser.post('/account/data/export')
    const wrong = await browser.post('/account/data/erase', { current_password: 'wrong' })
    const link = await browser.post('/account/data/erase', { current_password: '' })
    const before = await users()
    const erased = await browser.post('/account/data/erase', { current_password: PASSWORD, delete_content: 'true' })

    expect([copy, wrong, link, erased].map(({ status, headers }) => [status, headers['location']])).toEqual([
      [303, '/account/data?done=export'],
      [422, undefined],
      [303, '/account/data?done=erasure'],
      [303, '/erasure/done'],
    ])
    expect([before, await users()]).toEqual([['Ada Park'], []])
    expect((await browser.get('/account/data')).headers['location']).toMatch(/^\/login/)
  })

  it('links in the mails of an address end when it is removed from the account', async () => {
    await app.as.user(ada).send('POST', '/api/v2/profile/export')
    await app.as.user(ada).send('DELETE', '/api/v2/profile', { body: {} })
    const paths = (await work()).map(
      (mail) => `${mail.subject.includes('ready') ? '/export' : '/erasure'}?token=${readLinkToken(mail)}`,
    )
    const open = () => Promise.all(paths.map(async (path) => (await app.fastify.inject(path)).statusCode))

    const before = await open()
    await app.db.prisma.emailAddress.updateMany({
      where: { email: ada.email },
      data: { confirmed_at: null, removed_at: new Date() },
    })

    expect([before, await open()]).toEqual([
      [200, 200],
      [422, 422],
    ])
  })

  it.each(['/erasure', '/export'])('%s says that an unknown link is not valid', async (path) => {
    const { status, visibleText } = await createBrowser(app.fastify).get(`${path}?token=x`)

    expect([status, visibleText]).toEqual([422, expect.stringContaining('This link is no longer valid')])
  })
})

describe('an exported account that is gone', () => {
  it('has no zip', async () => {
    expect(await exportData(app.services, 999)).toBe(false)
  })
})
