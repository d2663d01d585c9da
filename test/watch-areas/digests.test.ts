import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'

import { createDigests } from '../../jobs/handlers/batch-jobs.ts'
import { sweep } from '../jobs/sweep.ts'
import { sql } from '../../src/database/database.ts'
import { createDueDigests } from '../../src/watch-areas/digest-queries.ts'
import { nextDigestAt } from '../../src/watch-areas/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWatchScenario } from './watch-scenario.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { watch, reported, commented, moved, mail, makeDigests, worker, sent } = createWatchScenario(
  () => app.db,
  () => app.create,
)

const DUE = '2026-11-20T11:51:42.696Z'
const NOW = new Date('2026-11-20T11:52:00Z')
const DAY_MS = 86_400_000

let ada: TestUser
let ben: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
  ben = await app.create.user({ name: 'Ben Stone' })
})

const daily = (user: TestUser, more: object = {}) => watch({ user, frequency: 'daily', next_digest_at: DUE, ...more })
async function digests(at = NOW) {
  await mail()
  sent.length = 0
  await makeDigests(at)
  await worker().send()
  return sent.splice(0)
}
const pending = async () =>
  (
    await queryRows<{ count: number }>(
      app.db,
      sql`SELECT count(*)::integer AS count FROM watch_matches m WHERE m.digest_id IS NULL`,
    )
  )[0]?.count
const dueAt = async (id: number) => (await app.db.prisma.watchArea.findUniqueOrThrow({ where: { id } })).next_digest_at

describe('a digest', () => {
  it('shows the smallest picture of a report once it exists, and a map of its issues', async () => {
    await daily(ada)
    const [{ issue: small }, { issue: waiting }] = [await reported({ summary: 'Pothole' }), await reported({ summary: 'Lamp' })]
    const file = { content_type: 'image/png', width: 3, height: 2, bytes: 9 }
    await app.db.prisma.medium.createMany({
      data: [
        { ...file, issue_id: small, full_key: 'pictures/full.png', square_key: 'pictures/square.png' },
        { ...file, issue_id: waiting, full_key: 'pictures/other.png' },
      ],
    })

    const [digest] = await digests()

    const sources = [...(digest?.html ?? '').matchAll(/<img src="([^"]*)"/g)].map(([, src = '']) => new URL(src))
    expect(sources.map(({ pathname, search }) => `${pathname}${search}`)).toEqual([
      `/issues/map.png?ids=${waiting},${small}`,
      '/files/pictures/square.png',
    ])
  })

  it('is one mail with new reports before updates of others', async () => {
    await daily(ada)
    const old = await app.create.issue({ summary: 'Old lamp' })
    await commented(old, ben)
    await commented(old)
    await moved('issue.closed', old, ben)
    await reported({ summary: 'Pothole', address: '250 Church St' })
    await reported({ summary: 'Graffiti' })

    const [digest, ...others] = await digests()

    expect(others).toEqual([])
    expect(digest?.to).toBe(ada.email)
    expect(digest?.subject).toBe('2 new reports, 1 update in Downtown')
    expect(digest?.text.replaceAll(/#\d+|issues\/\d+/g, '#')).toContain(
      [
        'New reports (2)\n',
        '* Graffiti (#)\nStatus: open\nhttp://fixpoint.test/#\n',
        '* Pothole (#)\n250 Church St\nStatus: open\nhttp://fixpoint.test/#\n',
        'Updates of other reports (1)\n',
        '* Old lamp (#)\nclosed, 2 comments\nStatus: open\nhttp://fixpoint.test/#\n',
      ].join('\n'),
    )
    expect(await pending()).toBe(0)
  })

  it('lists each event once, and is not sent without events', async () => {
    const area = await daily(ada)
    await reported()
    const first = await digests()
    const second = await digests(new Date(NOW.getTime() + DAY_MS))
    await reported()
    const third = await digests(new Date(NOW.getTime() + 2 * DAY_MS))

    expect([first.length, second.length, third.length]).toEqual([1, 0, 1])
    expect(third[0]?.subject).toBe('1 new report in Downtown')
    expect(await dueAt(area)).toEqual(new Date('2026-11-23T11:51:42.696Z'))
  })

  it('is one mail after an outage of many days', async () => {
    const area = await watch({ user: ada, frequency: 'weekly', next_digest_at: DUE })
    await reported()

    const all = [await digests(new Date(NOW.getTime() + 30 * DAY_MS)), await digests(new Date(NOW.getTime() + 30 * DAY_MS))]

    expect(all.map(({ length }) => length)).toEqual([1, 0])
    expect(await dueAt(area)).toEqual(new Date(Date.parse(DUE) + 35 * DAY_MS))
  })

  it('is not created before its time', async () => {
    await daily(ada)
    await reported()

    expect(await digests(new Date(Date.parse(DUE) - 1))).toEqual([])
    expect(await pending()).toBe(1)
  })

  it('has the same next time as nextDigestAt, whenever it is created', async () => {
    const timestamps = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
    const area = await watch({ user: ada, frequency: 'daily' })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('daily' as const, 'weekly' as const),
        timestamps,
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.integer({ min: 0, max: 40 * DAY_MS }),
        async (frequency, at, lng, late_ms) => {
          const next_digest_at = nextDigestAt({ frequency, at, lng })
          await app.db.prisma.watchArea.update({ where: { id: area }, data: { frequency, next_digest_at } })
          const now = new Date((next_digest_at?.getTime() ?? 0) + late_ms)

          await createDueDigests(app.db, now, 10)

          expect(await dueAt(area)).toEqual(nextDigestAt({ frequency, at: now, lng }))
        },
      ),
      runs(10),
    )
  })

  it('is created once per area by several workers', async () => {
    await app.db.execute(sql`
      WITH people AS (INSERT INTO users (name) SELECT 'Watcher ' || n FROM generate_series(1, 250) n RETURNING id),
      addresses AS (
        INSERT INTO email_addresses (user_id, email, confirmed_at) SELECT p.id, 'watcher-' || p.id || '@example.org', now() FROM people p RETURNING id)
      INSERT INTO watch_areas (user_id, watcher_token, area, frequency, next_digest_at)
      SELECT p.id, 'token-' || p.id, ST_Multi(ST_MakeEnvelope(-74, 40, -71, 42, 4326)), 'daily', ${DUE}::timestamptz FROM people p
      RETURNING watch_areas.id`)
    await reported()
    await mail()

    await Promise.all([makeDigests(NOW), makeDigests(NOW), makeDigests(NOW)])
    await Promise.all([worker().send(), worker().send()])

    expect(new Set(sent.map(({ to }) => to)).size).toBe(250)
    expect(sent.length).toBe(250)
    expect(await pending()).toBe(0)
  })

  it('is created completely later if its worker is killed', async () => {
    await daily(ada)
    await reported()
    await mail()
    const killed = {
      ...app.db,
      transaction: (work: Parameters<typeof app.db.transaction>[0]) =>
        app.db.transaction(async (tx) => {
          await work(tx)
          throw new Error('killed')
        }),
    } as typeof app.db

    await expect(createDigests({}, { ...worker().services, db: killed, clock: () => NOW })).rejects.toThrow('killed')
    const after = await pending()
    const again = await digests()

    expect([after, again.length]).toEqual([1, 1])
  })

  it('is found by the next scheduled run if the queue is unavailable', async () => {
    await daily(ada)
    await reported()
    await mail()
    const queue = { enqueue: () => Promise.reject(new Error('flushed')) }

    await createDigests({}, { ...worker().services, queue, clock: () => NOW })
    await worker().send()

    expect(sent.map(({ to }) => to)).toEqual([ada.email])
  })

  it('lists only what is public and wanted when it is sent, and is cancelled if nothing is left', async () => {
    const area = await daily(ada)
    const hidden = await reported({ summary: 'Hidden words' })
    const muted = await reported({ summary: 'Muted words' })
    const open = await app.create.issue({ summary: 'Old lamp' })
    const { comment } = await commented(open, ben)
    await commented(open, ada)
    await mail()
    await makeDigests(NOW)
    await app.db.prisma.issue.update({ where: { id: hidden.issue }, data: { moderation_state: 'rejected' } })
    await app.db.prisma.comment.update({ where: { id: comment }, data: { moderation_state: 'held' } })
    await app.db.prisma.issueMute.create({ data: { user_id: ada.id, issue_id: muted.issue, was_following: false } })

    await worker().send()

    expect(sent).toEqual([])
    expect(await queryRows(app.db, sql`SELECT d.reply FROM mails d WHERE d.watch_area_id = ${area}`)).toEqual([
      { reply: 'no longer wanted' },
    ])
  })

  it.each([
    ['mails are turned off', () => app.db.prisma.user.update({ where: { id: ada.id }, data: { issue_mails: false } })],
    [
      'no address is confirmed',
      () => app.db.prisma.emailAddress.updateMany({ where: { user_id: ada.id }, data: { confirmed_at: null } }),
    ],
    ['the area never mails now', (id: number) => app.db.prisma.watchArea.update({ where: { id }, data: { frequency: 'never' } })],
  ])('is not created where %s, and its events are dropped', async (_, become) => {
    const area = await daily(ada)
    await reported()
    await mail()

    await become(area)

    expect(await digests()).toEqual([])
    expect(await pending()).toBe(0)
    expect(await queryRows(app.db, sql`SELECT v.id FROM events v WHERE v.type = 'watch_area.digest_due'`)).toEqual([])
  })

  it('is not sent for a deleted area', async () => {
    const area = await daily(ada)
    await reported()
    await mail()
    await makeDigests(NOW)

    await app.db.prisma.watchArea.delete({ where: { id: area } })
    await worker().send()

    expect(sent).toEqual([])
  })

  it('names fifty issues and counts the others', async () => {
    await daily(ada)
    for (let n = 0; n < 53; n++) await reported({ summary: `Report ${n}` })

    const [digest] = await digests()

    expect(digest?.subject).toBe('53 new reports in Downtown')
    expect(digest?.text.match(/^\* Report/gm)).toHaveLength(50)
    expect(digest?.text).toContain('And 3 more:\nhttp://fixpoint.test/account/watch-areas')
  })
})

describe('matches of past digests', () => {
  it('are deleted after a month', async () => {
    await daily(ada)
    await reported()
    await mail()
    const sweepAfter = (days: number) =>
      sweep('delete-old-watch-matches', { ...worker().services, clock: () => new Date(Date.now() + days * DAY_MS) })

    await sweepAfter(29)
    const stored = await pending()
    await sweepAfter(31)

    expect([stored, await pending()]).toEqual([1, 0])
  })
})
