import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { startWorker } from '../../jobs/run-worker.ts'
import { raw, sql, type Database } from '../../src/database/database.ts'
import { eraseAccount, eraseAgain, requestLink } from '../../src/accounts/erasure.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { openQueue } from '../../src/queue/queue.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { storeText } from '../../src/storage/reports.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { createFactories } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { appOn, basic } from '../http/app-on.ts'
import { createLogRecorder, silentLog } from './log.ts'
import { createMailer } from './mails.ts'
import { places, type Place } from './places.ts'

const NAME = 'Marker Zyxwvut'
const PASSWORD = 'marker-password-qponml'
/** Each is in a place of its own: the account, private answers, drafts, and what other rows say about the person. */
const MARKERS = [NAME, 'marker.zyxwvut', 'marker-phone-5550', 'marker-draft-text', 'marker-device', 'marker-watch', PASSWORD]

/** Returns "table: row" for each row of the database with the text. */
async function findRows(db: Database, word: string): Promise<string[]> {
  const tables = await queryRows<{ name: string }>(
    db,
    sql`SELECT format('%I.%I', t.schemaname, t.tablename) AS name FROM pg_tables t
      WHERE t.schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY name`,
  )
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await queryRows<{ row: string }>(
        db,
        sql`SELECT r::text AS row FROM ${raw(name)} r WHERE position(lower(${word}::text) IN lower(r::text)) > 0 ORDER BY row`,
      )
      return rows.map(({ row }) => `${name}: ${row.slice(0, 200)}`)
    }),
  )
  return found.flat()
}

async function readQueue({ options }: Place): Promise<string> {
  if (!('redisUrl' in options) || options.redisUrl === undefined) return ''
  const redis = new Redis(options.redisUrl)
  const keys = await redis.keys('*')
  const dumps = await Promise.all(keys.map(async (key) => `${key} ${(await redis.dumpBuffer(key))?.toString('latin1')}`))
  await redis.quit()
  return dumps.join('\n')
}

const readFiles = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')

describe.each(places)('an erased person, with the queue in %s', (_, open) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
  })
  afterAll(() => place.close())

  it.each(['keep', 'delete'] as const)('is in no table, job, file or line of the log (content: %s)', async (content) => {
    const { db } = place
    const [create, dataDir] = [createFactories(db), createTemporaryFolder()]
    const { fastify, anonymous, logged } = await appOn(db as Parameters<typeof appOn>[0], { DATA_DIR: dataDir, LOG_LEVEL: 'trace' })
    const { log, entries } = createLogRecorder()
    const files = await openFileStore({ dataDir, s3Url: undefined })
    const queue = await openQueue(place.options, silentLog)
    onTestFinished(() => queue.close())
    const worker = await startWorker({ db, files, ...createMailer(), log, clock: () => new Date() }, place.options)
    onTestFinished(() => worker.close())
    const person = await create.user({ name: NAME, password_hash: await hashPassword(PASSWORD) })
    const login = { ...basic(person.email, PASSWORD), 'idempotency-key': 'marker-key' }
    const reported = await anonymous.send('POST', '/api/v2/issues', {
      headers: login,
      body: {
        lat: 41.3083,
        lng: -72.9279,
        request_type_id: 'other',
        address: 'Elm St',
        answers: { summary: `marker-summary-${content}` },
        device_id: 'marker-device',
      },
    })
    const issue = (reported.body as { id: number }).id
    await anonymous.send('POST', `/api/v2/issues/${issue}/comments`, {
      headers: basic(person.email, PASSWORD),
      body: { comment: `marker-comment-${content}` },
    })
    // The report stays for the text of another person, without its own.
    const answered = await create.issue({
      ...{
        reporter: person,
        summary: `marker-summary-${content}`,
        description: `marker-comment-${content}`,
        address: `marker-summary-${content}`,
      },
    })
    await create.comment({ on: answered, by: await create.user(), comment: 'Seen.' })
    await create.formAnswer({ on: answered, question: 'Where?', answer: `marker-comment-${content}` })
    const key = newFileKey('png')
    await storeText(files, key, 'marker-avatar marker-phone-5550')
    await db.prisma.user.update({ where: { id: person.id }, data: { avatar_full: key } })
    await create.formAnswer({ on: issue, question: 'Phone?', answer: 'marker-phone-5550', answer_kept_private: true })
    const expires_at = new Date(Date.now() + 60_000)
    const draft = { form_values: { answers: { summary: 'marker-draft-text' } }, expires_at }
    await db.prisma.reportDraft.create({ data: { ...draft, secret_hash: `a ${content}`, user_id: person.id } })
    await db.prisma.reportDraft.create({ data: { ...draft, secret_hash: `b ${content}`, email: person.email.toUpperCase() } })
    await db.prisma.watchArea.create({
      data: {
        user_id: person.id,
        name: 'marker-watch',
        watcher_token: `w ${content}`,
        kind: 'place',
        place_id: (await create.place({ url_name: `place-of-${content}` })).id,
      },
    })
    /** Queues the deliveries that are pending, as dispatch-outbox does some seconds later. */
    const expectNoPending = async () => {
      const where = { delivered_at: null }
      for (const { event_id, handler } of await db.prisma.outboxDelivery.findMany({ where }))
        await queue.enqueue('deliver', { event_id: Number(event_id), handler })
      expect(await db.prisma.outboxDelivery.count({ where })).toBe(0)
    }
    await requestLink(db, person.id, 'user.export_requested')
    await vi.waitFor(
      async () => {
        await expectNoPending()
        expect(await files.size(`exports/${person.id}.zip`)).toBeGreaterThan(0)
      },
      { timeout: 100_000, interval: 250 },
    )
    expect(await findRows(db, 'marker-draft-text')).toHaveLength(2)

    const erased = await anonymous.send('DELETE', '/api/v2/profile', {
      headers: basic(person.email, PASSWORD),
      body: { current_password: PASSWORD, content },
    })
    await vi.waitFor(
      async () => {
        await expectNoPending()
        expect(await db.prisma.mail.count({ where: { sent_at: null, failed_at: null } })).toBe(0)
      },
      { timeout: 100_000, interval: 250 },
    )

    expect([reported.status, erased.status]).toEqual([201, 204])
    const texts = { queue: await readQueue(place), files: readFiles(dataDir), log: JSON.stringify([logged, entries]) }
    const words = [...MARKERS, ...(content === 'delete' ? ['marker-summary-delete', 'marker-comment-delete'] : [])]
    const found = await Promise.all(
      words.map(async (word) => [
        ...(await findRows(db, word)),
        ...Object.entries(texts).flatMap(([where, text]) =>
          text.toLowerCase().includes(word.toLowerCase()) ? [`${where}: ${word}`] : [],
        ),
      ]),
    )
    expect(found.flat()).toEqual([])
    expect((await fastify.inject(`/issues/${issue}`)).statusCode).toBe(content === 'delete' ? 404 : 200)
    expect((await fastify.inject(`/issues/${answered}`)).statusCode).toBe(200)
  })

  it('is erased again after the restore of an older backup, once, without a second receipt', async () => {
    const { db } = place
    const create = createFactories(db)
    const files = await openFileStore({ dataDir: createTemporaryFolder(), s3Url: undefined })
    const { log } = createLogRecorder()
    const [ada, ben] = [await create.user(), await create.user()]
    const row = await db.prisma.user.findUniqueOrThrow({ where: { id: ada.id } })
    const worker = await startWorker({ db, files, ...createMailer(), log, clock: () => new Date() }, place.options)
    onTestFinished(() => worker.close())
    await eraseAccount({ db, files }, { userId: ada.id, content: 'keep' })
    await vi.waitFor(async () => expect(await Array.fromAsync(files.list(['erased/']))).toHaveLength(1), {
      timeout: 100_000,
      interval: 100,
    })
    const receipts = await db.prisma.mail.count({ where: { kind: 'receipt' } })
    await db.prisma.user.create({ data: { id: ada.id, name: row.name, created_at: row.created_at } })

    const counts = [await eraseAgain({ db, files }), await eraseAgain({ db, files })]

    expect(counts).toEqual([1, 0])
    expect(await db.prisma.mail.count({ where: { kind: 'receipt' } })).toBe(receipts)
    expect(await db.prisma.user.findMany({ where: { id: { in: [ada.id, ben.id] } }, select: { id: true } })).toEqual([
      { id: ben.id },
    ])
  })
})
