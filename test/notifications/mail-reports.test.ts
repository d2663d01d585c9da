import { createHmac, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'

import { recordMailResults } from '../../src/notifications/lease-queries.ts'
import { blocksIn, sectionOf, shell } from '../docs/commands.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

const MAIL_HOOK_SECRET = 'a-key-of-the-mailbox'
const app = useApp({ ownApp: true, env: { MAIL_HOOK_SECRET } })

let ada: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
})

async function sendMail({ isSent = true } = {}): Promise<string> {
  const event = await app.db.prisma.event.create({
    data: { type: 'user.password_changed', subject_type: 'user', subject_id: ada.id },
  })
  const { id: email_address_id } = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: ada.id } })
  const { message_id } = await app.db.prisma.mail.create({ data: { kind: 'account', event_id: event.id, email_address_id } })
  if (isSent) await recordMailResults(app.db, [{ message_id, outcome: 'sent', reply: '250 OK' }])
  return message_id
}

const sign = (body: Buffer, sentAt: string) =>
  `sha256=${createHmac('sha256', MAIL_HOOK_SECRET).update(`${sentAt}.`).update(body).digest('hex')}`
async function post(message: string | Buffer, type: string | null = 'message/rfc822', isSigned = true) {
  const [payload, sentAt] = [Buffer.from(message), String(Math.floor(app.services.clock().getTime() / 1000))]
  const headers = {
    ...(type === null ? {} : { 'content-type': type }),
    'x-fixpoint-timestamp': sentAt,
    ...(isSigned ? { 'x-fixpoint-signature': sign(payload, sentAt) } : {}),
  }
  return (await app.fastify.inject({ method: 'POST', url: '/hooks/mail', payload, headers })).statusCode
}
const refusals = async () => {
  const { hard_refusals, refused_at } = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: ada.id } })
  return [hard_refusals, refused_at !== null]
}

/** A message with a report of this type about a mail, as mail servers send it. */
function report(type: string, fields: string, returned: { id: string; type?: string } | undefined, newline = '\r\n'): string {
  const original = [
    ...['', '--frontier', `Content-Type: ${returned?.type ?? 'message/rfc822'}`, '', 'From: Fixpoint <no-reply@fix.example.org>'],
    ...[`Message-ID:`, ` <${returned?.id}@fix.example.org>`, 'Subject: Your password was changed', '', 'Hello Ada'],
  ]
  return [
    ...['From: MAILER-DAEMON@mx.example.org', 'To: no-reply@fix.example.org', 'Subject: Undelivered', 'MIME-Version: 1.0'],
    ...[`Content-Type: multipart/report; report-type=${type}; boundary="frontier"`, '', '--frontier'],
    ...['Content-Type: text/plain', '', 'Message-ID: <not-this-one@example.org>', 'Action: failed', 'Status: 5.0.0', ''],
    ...['--frontier', `Content-Type: message/${type}`, '', ...fields.trim().split('\n'), ...(returned ? original : [])],
    ...['--frontier--', ''],
  ].join(newline)
}
const recipient = (action: string, status: string) =>
  `Final-Recipient: rfc822; ada@example.org\nAction: ${action}\nStatus: ${status}\nDiagnostic-Code: smtp; 550 said so`
const notification = (id: string, action = 'failed', status = '5.1.1', type?: string) =>
  report('delivery-status', `Reporting-MTA: dns; mx.example.org\n\n${recipient(action, status)}`, { id, ...(type ? { type } : {}) })
const complaint = (id: string, kind = 'abuse') =>
  report('feedback-report', `Feedback-Type: ${kind}\nUser-Agent: SomeGenerator/1.0\nVersion: 1`, { id })

describe('a delivery status notification (RFC 3464) at POST /hooks/mail', () => {
  it('counts a permanent failure as a refusal, and two of them end the notifications', async () => {
    const [first, second] = [await sendMail(), await sendMail()]

    const answers = [await post(notification(first))]
    const once = await refusals()
    answers.push(await post(notification(second, 'failed', '5.2.2', 'text/rfc822-headers')))

    expect([answers, once, await refusals()]).toEqual([
      [204, 204],
      [1, false],
      [2, true],
    ])
    expect((await app.db.prisma.mail.findUniqueOrThrow({ where: { message_id: second } })).reply).toBe('reported: 5.2.2')
  })

  it('counts each mail once, however often it is reported', async () => {
    const id = await sendMail()

    const answers = [await post(notification(id)), await post(notification(id, 'failed', '5.7.1')), await post(notification(id))]

    expect([answers, await refusals()]).toEqual([
      [204, 204, 204],
      [1, false],
    ])
  })

  it('reads lines that end in LF, bytes that are no UTF-8, and the failed one of several recipients', async () => {
    const fields = `Reporting-MTA: dns; mx\n\n${recipient('delayed', '4.4.1')}\n\n${recipient('failed', '5.4.4')}`
    const message = report('delivery-status', fields, { id: await sendMail() }, '\n').replace('Undelivered', 'Non remis\xe9')

    expect([await post(Buffer.from(message, 'latin1')), await refusals()]).toEqual([204, [1, false]])
  })

  it.each([
    ['a delay', (id: string) => notification(id, 'delayed', '4.4.7')],
    ['a temporary status of a failure', (id: string) => notification(id, 'failed', '4.4.7')],
    ['a delivery', (id: string) => notification(id, 'delivered', '2.0.0')],
    ['a report without the mail', () => report('delivery-status', recipient('failed', '5.1.1'), undefined)],
    ['a mail that was never sent', () => notification(randomUUID())],
    ['an id that is none', () => notification("'; DROP TABLE mails; --")],
    ['an automatic reply', (id: string) => `Subject: I am away\r\nIn-Reply-To: <${id}@fix.example.org>\r\n\r\nStatus: 5.1.1\r\n`],
    ['a message without a header', () => 'Action: failed'],
    ['no words', () => '\0'],
  ])('does nothing for %s', async (_, write) => {
    const id = await sendMail()

    expect([await post(write(id)), await refusals()]).toEqual([204, [0, false]])
  })

  it('reads the first 128 kB, so that a long mail is returned whole and thousands of parts take no time', async () => {
    const long = notification(await sendMail()).replace('Hello Ada', 'Hello Ada '.repeat(90_000))
    const after = notification(await sendMail()).replace('--frontier\r\n', '--frontier\r\n\r\n'.repeat(40_000))

    expect([await post(long), await refusals(), await post(after), await refusals()]).toEqual([204, [1, false], 204, [1, false]])
  })

  it('does nothing for a mail that waits', async () => {
    expect([await post(notification(await sendMail({ isSent: false }))), await refusals()]).toEqual([204, [0, false]])
  })
})

describe('the script of docs/operations.md for the mailbox of the sender', () => {
  it('sends a message with its signature', async () => {
    const [script = []] = blocksIn(sectionOf('docs/operations.md', 'Mails'))
    const message = join(createTemporaryFolder(), 'message.eml')
    writeFileSync(message, notification(await sendMail()))
    const address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })

    await shell(`(${script.join('\n').replace('http://127.0.0.1:3000', address)}) < ${message}`, { MAIL_HOOK_SECRET })

    expect(await refusals()).toEqual([1, false])
  })
})

describe('a complaint (RFC 5965) at POST /hooks/mail', () => {
  it('ends the notifications to the address of the mail', async () => {
    expect([await post(complaint(await sendMail())), await refusals()]).toEqual([204, [2, true]])
  })

  it.each(['not-spam', 'auth-failure'])('does nothing for the type %s', async (kind) => {
    expect([await post(complaint(await sendMail(), kind)), await refusals()]).toEqual([204, [0, false]])
  })
})

describe('what POST /hooks/mail refuses', () => {
  it.each([
    ['an unsigned message', (id: string) => post(notification(id), 'message/rfc822', false), 401],
    ['an unsigned request without a body', () => post('', null, false), 401],
    ['an unsigned empty message', () => post('', 'message/rfc822', false), 401],
    ['an unsigned empty list', () => post('', 'application/json', false), 401],
    ['a signed request without a body', () => post('', null), 400],
    ['a signed null', () => post('null', 'application/json'), 422],
    ['another type', (id: string) => post(notification(id), 'text/plain'), 415],
    ['a message over a megabyte', (id: string) => post(notification(id) + 'x'.repeat(1024 * 1024)), 413],
    ['a message with hundreds of levels', () => post(nested(300)), 400],
  ])('%s', async (_, send, status) => {
    expect([await send(await sendMail()), await refusals()]).toEqual([status, [0, false]])
  })
})

const nested = (levels: number) =>
  Array.from({ length: levels }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join('')
