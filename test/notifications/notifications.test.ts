import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { BATCH_SIZE } from '../../jobs/handlers/send-mails.ts'
import { type Database, sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { openRateLimitStore } from '../../src/http/rate-limit/rate-limit-store.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { countFinishedMails, countPendingMails } from '../../src/mail/metrics-queries.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { type Factories, createFactories } from '../helpers/factories.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createLogRecorder } from '../jobs/log.ts'
import { listStoredMails, makeDue, type NotificationInput, createNotifier, createMailbox } from './notifier.ts'
import { type Received, startSmtpServer } from './smtp-server.ts'
import { queryRows } from '../helpers/query-rows.ts'

const LATER = { outcome: 'deferred', reply: '451 come back later' } as const
const SENT = { outcome: 'sent', reply: '250 OK' } as const

describe('notifications', () => {
  let db: Database
  let create: Factories
  beforeAll(async () => {
    db = await openTestDatabase()
    create = createFactories(db)
  })
  afterAll(() => db.close())
  beforeEach(() => resetDatabase(db))

  async function createCommentEvent(followers: number): Promise<NotificationInput> {
    const issue = await create.issue({ summary: 'Pothole' })
    await db.execute(sql`
      WITH people AS (INSERT INTO users (name) SELECT 'Follower ' || n FROM generate_series(1, ${followers}) n RETURNING id),
      addresses AS (
        INSERT INTO email_addresses (user_id, email, confirmed_at) SELECT p.id, 'follower-' || p.id || '@example.org', now() FROM people p
        RETURNING id)
      INSERT INTO follows (issue_id, user_id) SELECT ${issue}, p.id FROM people p RETURNING user_id`)
    const comment_id = await create.comment({ on: issue, comment: 'Deeper now.' })
    return { type: 'comment.added', subject_id: comment_id, actor_id: null, payload: { issue_id: issue, comment_id } }
  }
  const mailerTo = (smtpUrl: string | undefined, smtpConnections = 10, dataDir = '.') =>
    openMailer(
      { smtpUrl, mailFrom: 'City Hall <city@example.org>', dataDir, smtpConnections },
      urlsFrom(() => PUBLIC_URL),
    )
  const tally = async () => {
    const counts: Record<string, number> = {}
    for (const { end } of await listStoredMails(db)) counts[end] = (counts[end] ?? 0) + 1
    return counts
  }
  const messageIds = async (received: readonly Received[]) =>
    Promise.all(received.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId ?? ''))

  it('to one domain wait over the rate of all workers, without a failed attempt, while other domains get theirs', async () => {
    const { received, url } = await startSmtpServer()
    const news = await createCommentEvent(5)
    await db.execute(
      sql`UPDATE email_addresses SET email = 'else@other.example' WHERE id = (SELECT max(e.id) FROM email_addresses e)`,
    )
    const limits = openRateLimitStore({ pool: (db as Partial<PostgresDatabase>).pool })
    const settings = { smtpUrl: url, mailFrom: undefined, dataDir: '.', mailDomainRate: 2 }
    const urls = urlsFrom(() => PUBLIC_URL)
    const mailers = [1, 2].map(() => openMailer(settings, urls, undefined, limits.store))
    onTestFinished(async () => {
      mailers.forEach((mailer) => mailer.close())
      await limits.close()
    })
    const [one, another] = mailers.map((mailer) => createNotifier(db, mailer))
    await one?.writeMails(news)

    await Promise.all([one?.send(), another?.send()])

    expect(received.map(({ to }) => to[0]?.replace(/.*@/, '')).sort()).toEqual(['example.org', 'example.org', 'other.example'])
    expect(await tally()).toEqual({ sent: 3, later: 2 })
    expect((await listStoredMails(db)).map(({ attempts }) => attempts).sort()).toEqual([0, 0, 1, 1, 1])
  })

  it('reach each of hundreds of followers once, from several workers with few connections', async () => {
    const { received, url, connections } = await startSmtpServer()
    const news = await createCommentEvent(350)
    const [one, another] = [mailerTo(url, 3), mailerTo(url, 3)].map((mailer) => createNotifier(db, mailer))

    await one?.writeMails(news)
    const written = await tally()
    await Promise.all([one?.send(), another?.send(), one?.send()])

    expect(written).toEqual({ due: 350 })
    expect(await tally()).toEqual({ sent: 350 })
    expect(new Set(received.map(({ to }) => to.join())).size).toBe(350)
    expect([received.length, new Set(await messageIds(received)).size]).toEqual([350, 350])
    expect(connections()).toBeLessThanOrEqual(12)
    expect(one?.queued).toEqual(Array(Math.ceil(350 / BATCH_SIZE)).fill('send-mails'))
    one?.services.mailer.close()
    another?.services.mailer.close()
  })

  it('are found in the database by the next scheduled run if the queue loses jobs', async () => {
    const { mailer, sent } = createMailbox()
    const lost = createNotifier(db, mailer, { queue: { enqueue: () => Promise.reject(new Error('flushed')) } })

    await lost.writeMails(await createCommentEvent(3))
    await lost.send()

    expect(sent.length).toBe(3)
  })

  it('are written once if the job runs twice', async () => {
    const { writeMails, services } = createNotifier(db, createMailbox().mailer)
    const event_id = await writeMails(await createCommentEvent(2))

    await deliver({ event_id, handler: 'notify' }, services, new AbortController().signal)

    expect(await tally()).toEqual({ due: 2 })
  })

  it('are retried with growing pauses after a 4xx, and given up after a 5xx', async () => {
    const { mailer, sent } = createMailbox(({ to }) =>
      to.startsWith('follower-1@') ? { outcome: 'rejected', reply: '550 no such user' } : sent.length <= 3 ? LATER : SENT,
    )
    const { writeMails, send } = createNotifier(db, mailer)
    await writeMails(await createCommentEvent(3))

    await send()
    const first = await tally()
    const waits = await queryRows<{ wait: number }>(
      db,
      sql`
      SELECT round(extract(epoch FROM d.due_at - now()))::integer AS wait FROM mails d WHERE d.failed_at IS NULL`,
    )
    await send()
    const before = sent.length
    await makeDue(db)
    await send()

    expect(first).toEqual({ failed: 1, later: 2 })
    expect(waits.map(({ wait }) => wait)).toEqual([10, 10])
    expect([before, sent.length]).toEqual([3, 5])
    expect(await listStoredMails(db)).toMatchObject([
      { attempts: 1, end: 'failed', reply: '550 no such user' },
      { attempts: 2, end: 'sent' },
      { attempts: 2, end: 'sent' },
    ])
  })

  it('are released without an attempt while the server is unreachable', async () => {
    const { writeMails, send, services } = createNotifier(db, mailerTo('smtp://127.0.0.1:9', 2))
    await writeMails(await createCommentEvent(50))

    await send()

    const all = await listStoredMails(db)
    expect(all.filter(({ end, attempts }) => end === 'due' && attempts === 0).length).toBeGreaterThanOrEqual(46)
    expect(all.filter(({ end }) => end === 'leased' || end === 'sent')).toEqual([])
    services.mailer.close()
  })

  it('are finished if started when the process stops, and released otherwise', async () => {
    const stopping = new AbortController()
    const { mailer, sent } = createMailbox(() => (stopping.abort(), SENT))
    const { writeMails, send } = createNotifier(db, { ...mailer, withConnectionSlot: oneByOne() })
    await writeMails(await createCommentEvent(5))

    await send(stopping.signal)

    expect(sent.length).toBe(1)
    expect(await tally()).toEqual({ sent: 1, due: 4 })
    expect((await listStoredMails(db)).map(({ attempts }) => attempts).sort()).toEqual([0, 0, 0, 0, 1])
  })

  it('are started at most 20 seconds after the lease, and released otherwise', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const { mailer, sent } = createMailbox(() => ((now += 20_000), SENT))
    const { log, entries } = createLogRecorder()
    const { writeMails, send } = createNotifier(db, { ...mailer, withConnectionSlot: oneByOne() }, { log })
    await writeMails(await createCommentEvent(3))

    await send()

    expect(sent.length).toBe(3)
    expect(entries.filter(({ message }) => message === 'sent mails')).toMatchObject([
      { details: { sent: 1, released: 2 } },
      { details: { sent: 1, released: 1 } },
      { details: { sent: 1, released: 0 } },
    ])
  })

  it('are sent again with the same Message-ID if the process is killed before recording the 250', async () => {
    const { received, url } = await startSmtpServer()
    const real = mailerTo(url, 1)
    const killed = {
      ...real,
      send: async (mail: Parameters<typeof real.send>[0]) => (await real.send(mail), Promise.reject(new Error('killed'))),
    }
    const { writeMails } = createNotifier(db, real)
    await writeMails(await createCommentEvent(1))

    await expect(createNotifier(db, killed).send()).rejects.toThrow('killed')
    await createNotifier(db, real).send()
    const whileLeased = received.length
    await makeDue(db)
    await createNotifier(db, real).send()

    expect(whileLeased).toBe(1)
    const [first, second] = await messageIds(received)
    expect([received.length, second]).toEqual([2, first])
    expect(await listStoredMails(db)).toMatchObject([{ attempts: 2, end: 'sent' }])
    real.close()
  })

  it('are recorded after an outage of the database and not sent again', async () => {
    const { mailer, sent } = createMailbox()
    let failures = 2
    const flaky: Database = {
      ...db,
      transaction: (work) => (sent.length > 0 && failures-- > 0 ? Promise.reject(new Error('terminated')) : db.transaction(work)),
    }
    await createNotifier(db, mailer).writeMails(await createCommentEvent(1))

    await createNotifier(flaky, mailer).send()
    await createNotifier(db, mailer).send()

    expect(sent.length).toBe(1)
    expect(await tally()).toEqual({ sent: 1 })
  })

  it('leave job slots of the process free, for mails that users wait for', async () => {
    let sendReply: (() => void) | undefined
    const reply = new Promise<void>((resolve) => (sendReply = resolve))
    const ada = await create.user()
    const { mailer, sent } = createMailbox(async ({ to }) => (to === ada.email ? SENT : (await reply, SENT)))
    const { writeMails, send, services } = createNotifier(db, mailer)
    await writeMails(await createCommentEvent(3 * BATCH_SIZE + 1))
    const three = [send(), send(), send()]
    await expect.poll(() => sent.length).toBe(3 * BATCH_SIZE)
    const { id } = await db.prisma.event.create({
      data: { type: 'user.password_changed', subject_type: 'user', subject_id: ada.id },
    })
    await db.prisma.outboxDelivery.create({ data: { event_id: id, handler: 'notify', due_at: new Date() } })
    await deliver({ event_id: Number(id), handler: 'notify' }, services, new AbortController().signal)

    await send()
    const sentMeanwhile = sent.slice(3 * BATCH_SIZE).map(({ to }) => to)
    const left = await queryRows(db, sql`SELECT d.email_address_id FROM mails d WHERE d.attempts = 0`)
    sendReply?.()
    await Promise.all(three)

    expect(sentMeanwhile).toEqual([ada.email])
    expect(left.length).toBe(1)
    expect(await tally()).toEqual({ sent: 3 * BATCH_SIZE + 2 })
  })

  it('are stored as files without a server, and logged as counts without addresses', async () => {
    const { log, entries } = createLogRecorder()
    const mailer = mailerTo(undefined, 1, createTemporaryFolder())
    const { writeMails, send } = createNotifier(db, mailer, { log })
    await writeMails(await createCommentEvent(2))
    const before = await countPendingMails(db)

    await send()

    const [name = ''] = (await mailer.folder?.list(5)) ?? []
    const mail = await PostalMime.parse((await mailer.folder?.read(name)) ?? '')
    expect(mail.text).toContain('> Deeper now.')
    expect(before).toEqual({
      pending: 2,
      oldest_pending_s: expect.any(Number) as number,
      oldest_due_s: expect.any(Number) as number,
      retried: 0,
      none_sent: true,
    })
    const none = { pending: 0, oldest_pending_s: null, oldest_due_s: null, retried: 0 }
    expect(await countPendingMails(db)).toEqual({ ...none, none_sent: false })
    await db.execute(sql`UPDATE mails d SET sent_at = d.sent_at - interval '1 hour'`)
    const { until, ...counts } = await countFinishedMails(db, '2000-01-01T00:00:00.000Z')
    expect(counts).toEqual({ sent: 2, rejected: 0, cancelled: 0 })
    expect(await countFinishedMails(db, until)).toMatchObject({ sent: 0, rejected: 0, cancelled: 0 })
    expect(JSON.stringify(entries)).not.toContain('example.org')
  })
})

function oneByOne() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work)
    last = mine
    return mine
  }
}
