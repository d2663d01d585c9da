import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { recordEvent } from '../../src/outbox/queries.ts'
import { confirmEmail } from '../../src/accounts/emails/confirmation.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { type Mailer, openMailer } from '../../src/mail/mailer.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { createLogRecorder } from '../jobs/log.ts'
import { readLinkToken, createMailWorker } from './mail-worker.ts'
import { type Received, startSmtpServer } from './smtp-server.ts'
import { queryRows } from '../helpers/query-rows.ts'

const QUICK = { connect_ms: 2_000, socket_ms: 300, total_ms: 3_000 }
const TO = 'ada@work.example'

describe('a mail', () => {
  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())
  beforeEach(() => resetDatabase(db))

  const mailerTo = (smtpUrl: string): Mailer =>
    openMailer(
      { smtpUrl, mailFrom: 'City Hall <city@example.org>', dataDir: '.' },
      urlsFrom(() => PUBLIC_URL),
      QUICK,
    )

  async function createClaim(address = TO): Promise<number> {
    const ada = await createFactories(db).user({ name: 'Ada Park' })
    return db.transaction(async (tx) => {
      const [email] = await queryRows<{ id: number }>(
        tx,
        sql`
        INSERT INTO email_addresses (user_id, email) VALUES (${ada.id}, ${address}) RETURNING email_addresses.id`,
      )
      await recordEvent(tx, { type: 'email.added', subject_id: email?.id ?? 0, actor_id: ada.id })
      return email?.id ?? 0
    })
  }
  const storedMail = async () => {
    const [row] = await queryRows<{ attempts: number; end: string; leased: boolean; reply: string | null }>(
      db,
      sql`
      SELECT d.attempts, d.leased_until IS NOT NULL AS leased, d.reply,
        CASE WHEN d.sent_at IS NOT NULL THEN 'sent' WHEN d.failed_at IS NOT NULL THEN 'failed' ELSE 'open' END AS end
      FROM mails d`,
    )
    return row
  }
  const isPending = async () => (await db.prisma.mail.count({ where: { sent_at: null, failed_at: null } })) > 0
  const endLease = () => queryRows(db, sql`UPDATE mails SET leased_until = NULL RETURNING email_address_id`)
  const parsed = ({ raw }: Received) => PostalMime.parse(raw)
  const idsOf = async (received: readonly Received[]) => (await Promise.all(received.map(parsed))).map(({ messageId }) => messageId)

  it('is sent once, as text and HTML, marked as automatic, with links to this site only', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim()
    const { work } = createMailWorker(db, mailerTo(url))

    await work()
    await work()

    expect(received.map(({ to }) => to)).toEqual([[TO]])
    const mail = await PostalMime.parse(received[0]?.raw ?? '')
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
    expect(headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      from: 'City Hall <city@example.org>',
      to: TO,
      'list-id': 'Fixpoint account <account.fixpoint.test>',
      'list-unsubscribe': expect.stringMatching(
        /^<http:\/\/fixpoint\.test\/unsubscribe\?token=n\.\d+\.[\w-]{16}\.[\w-]{16}>$/,
      ) as string,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    })
    expect(mail.messageId).toMatch(/^<[\da-f-]{36}@fixpoint\.test>$/)
    expect(mail.html).toContain('<html lang="en">')
    const links = [...`${mail.text} ${mail.html}`.matchAll(/https?:\/\/[^\s"<,]+/g)].map(([link]) => new URL(link).origin)
    expect(new Set(links)).toEqual(new Set([PUBLIC_URL]))
    expect(await storedMail()).toEqual({ attempts: 1, end: 'sent', leased: false, reply: expect.stringMatching(/^250 /) as string })
    expect(await isPending()).toBe(false)
  })

  it('is retried after a 4xx until the 250', async () => {
    const answers = [{ code: 451, text: 'come back later' }, undefined]
    const { received, url } = await startSmtpServer({ recipient: () => answers.shift() })
    await createClaim()
    const { log, entries } = createLogRecorder()
    const { work } = createMailWorker(db, mailerTo(url), log)

    await work()
    const before = await storedMail()
    const pending = await isPending()
    await work()

    expect(before).toMatchObject({ attempts: 1, end: 'open', leased: false, reply: expect.stringContaining('451') as string })
    expect(pending).toBe(true)
    expect(await storedMail()).toMatchObject({ attempts: 2, end: 'sent' })
    expect(received.length).toBe(1)
    expect(entries.filter(({ level }) => level !== 'debug').map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'mail not sent'],
      ['info', 'sent mails'],
      ['info', 'sent mails'],
    ])
    expect(JSON.stringify(entries)).not.toContain('work.example')
  })

  it.each([
    ['recipient', { recipient: () => ({ code: 550, text: `no such user ${TO}` }) }],
    ['mail', { mail: () => ({ code: 554, text: 'rejected as spam' }) }],
  ])('is given up after a 5xx to the %s, and the reply is stored without the address', async (_, options) => {
    const { received, url } = await startSmtpServer(options)
    await createClaim()
    const { work } = createMailWorker(db, mailerTo(url))

    await work()
    await work()

    expect(await storedMail()).toMatchObject({ attempts: 1, end: 'failed', reply: expect.stringMatching(/^55[04] /) as string })
    expect((await storedMail())?.reply).not.toContain(TO)
    expect(await isPending()).toBe(false)
    expect(received).toEqual([])
  })

  it('is retried if the server is unreachable or silent', async () => {
    const silent = await startSmtpServer({ mail: () => new Promise(() => undefined) })
    await createClaim()

    await createMailWorker(db, mailerTo('smtp://127.0.0.1:9')).work()
    const away = await storedMail()
    await createMailWorker(db, mailerTo(silent.url)).work()
    const timedOut = await storedMail()

    expect(away).toMatchObject({
      attempts: 1,
      end: 'open',
      leased: false,
      reply: expect.stringContaining('ECONNREFUSED') as string,
    })
    expect(timedOut).toMatchObject({
      attempts: 2,
      end: 'open',
      leased: false,
      reply: expect.stringMatching(/timed? ?out/i) as string,
    })
    expect(await isPending()).toBe(true)
  })

  it.each([
    ['login', { closed: true }, '535'],
    ['sender', { sender: () => ({ code: 553, text: 'not a sender of ours' }) }, '553'],
  ])('is retried if the server rejects our %s', async (_, options, code) => {
    const { url } = await startSmtpServer(options)
    await createClaim()

    await createMailWorker(db, mailerTo('closed' in options ? url.replace('smtp://', 'smtp://user:secret@') : url)).work()

    expect(await storedMail()).toMatchObject({ end: 'open', reply: expect.stringContaining(code) as string })
    expect(JSON.stringify(await storedMail())).not.toContain('secret')
  })

  it('does not go to an address that was confirmed during an outage of the server', async () => {
    const { received, url } = await startSmtpServer()
    const id = await createClaim()
    await createMailWorker(db, mailerTo('smtp://127.0.0.1:9')).work()
    await db.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE id = ${id} RETURNING id`)

    await createMailWorker(db, mailerTo(url)).work()

    expect([received, await isPending()]).toEqual([[], false])
    expect(await storedMail()).toMatchObject({ attempts: 2, end: 'failed', reply: 'no longer wanted' })
  })

  it('is sent again after a lost 250, with the same Message-ID and two valid links', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim()
    const real = mailerTo(url)
    // The process ends after the 250, before the result is recorded.
    const killed: Mailer = { ...real, send: async (mail) => (await real.send(mail), Promise.reject(new Error('killed'))) }

    await expect(createMailWorker(db, killed).work()).rejects.toThrow('killed')
    await createMailWorker(db, real).work()
    const whileLeased = received.length
    await endLease()
    await createMailWorker(db, real).work()

    expect(whileLeased).toBe(1)
    const [first, second] = await idsOf(received)
    expect([received.length, second]).toEqual([2, first])
    const tokens = (await Promise.all(received.map(parsed))).map(({ text = '' }) => readLinkToken({ text }))
    expect(new Set(tokens).size).toBe(2)
    const verify = (id: number) => Promise.resolve({ id, credentialsVersion: 1 })
    const found = [await confirmEmail(db, tokens[0] ?? '', verify), await confirmEmail(db, tokens[1] ?? '', verify)]
    expect(found.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  })

  it('is sent once by two concurrent workers', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim()

    await Promise.all([createMailWorker(db, mailerTo(url)).work(), createMailWorker(db, mailerTo(url)).work()])
    await createMailWorker(db, mailerTo(url)).work()

    expect(received.length).toBe(1)
    expect(await isPending()).toBe(false)
  })

  it('is cancelled when it is too late', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim()
    await db.execute(sql`UPDATE events SET created_at = now() - interval '3 days' RETURNING id`)

    await createMailWorker(db, mailerTo(url)).work()

    expect([received, await isPending()]).toEqual([[], false])
    expect(await storedMail()).toMatchObject({ end: 'failed', reply: 'no longer wanted' })
  })

  it('is sent although another one leased with it cannot be composed, which is retried', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim('broken@work.example')
    await db.execute(sql`UPDATE events SET payload = '{"email_address_id": "none"}'`)
    await createClaim()

    await createMailWorker(db, mailerTo(url)).work()

    expect(received.map(({ to }) => to)).toEqual([[TO]])
    expect(await isPending()).toBe(true)
    expect(await db.prisma.mail.findMany({ select: { attempts: true, leased_until: true }, where: { sent_at: null } })).toEqual([
      { attempts: 1, leased_until: null },
    ])
  })

  it('goes to exactly one address, whatever characters it has', async () => {
    const { received, url } = await startSmtpServer()
    await createClaim('a,ben@example.org')
    await createMailWorker(db, mailerTo(url)).work()

    expect(received.flatMap(({ to }) => to)).not.toContain('ben@example.org')
  })

  it('keeps no transaction open while the server is slow', async () => {
    let during: unknown
    const { url } = await startSmtpServer({
      mail: async () => {
        during = await queryRows(db, sql`SELECT d.leased_until > now() AS leased FROM mails d FOR UPDATE NOWAIT`)
        return undefined
      },
    })
    await createClaim()

    await createMailWorker(db, mailerTo(url)).work()

    expect(during).toEqual([{ leased: true }])
    expect(await storedMail()).toMatchObject({ end: 'sent' })
  })
})
