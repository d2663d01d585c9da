import { beforeEach, describe, expect, it } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import { sweep } from '../jobs/sweep.ts'
import { sql } from '../../src/database/database.ts'
import { addIssueMails } from '../../src/notifications/recipients/issue-notification-queries.ts'
import type { BulkRun } from '../../src/staff/bulk/schema.ts'
import { runNextBatch } from '../../src/staff/bulk/run.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let type = 0
let ids: number[] = []
let [ada, ben, follower]: TestUser[] = []

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  ben = await app.create.user({ name: 'Ben Stone', memberOf: [{ organization: roads }] })
  follower = await app.create.user()
  ids = await Promise.all([1, 2, 3].map(() => app.create.issue({ request_type: type })))
  ids.sort((a, b) => a - b)
})

const post = async (path: string, body: object = {}, user = ada) =>
  app.as.user(user as TestUser).send('POST', `/api/v2/bulk${path}`, { body })
const preview = async (change: object, of = ids) => (await post('', { ids: of, change })).body as BulkRun
const read = async (id: number) => (await app.as.user(ada as TestUser).get(`/bulk/${id}`)).body as BulkRun
const work = () => runBulk({}, { db: app.db, clock: () => new Date() })
const issues = () => app.db.prisma.issue.findMany({ orderBy: { id: 'asc' } })
const column = async <Name extends keyof Awaited<ReturnType<typeof issues>>[number]>(name: Name) =>
  (await issues()).map((issue) => issue[name])
async function run(change: object, of = ids): Promise<BulkRun> {
  const { id, hash } = await preview(change, of)
  await post(`/${id}/run`, { hash })
  await work()
  return read(id)
}

describe('POST /bulk', () => {
  it('changes nothing, and names the issues that are refused and why', async () => {
    const closed = await app.create.issue({ request_type: type, status: 'Closed' })
    const foreign = await app.create.issue({
      request_type: await app.create.requestType({ organization: await app.create.organization() }),
    })
    await app.create.follow({ on: ids[0] ?? 0, by: follower as TestUser })
    await app.create.follow({ on: ids[1] ?? 0, by: follower as TestUser })
    await app.create.follow({ on: ids[1] ?? 0, by: ada as TestUser })
    const before = await issues()

    const answer = await preview({ transition: 'close', comment: 'Repaired.', outcome: 'fixed' }, [...ids, closed, foreign])

    expect(answer).toMatchObject({
      state: 'preview',
      count: 3,
      counts: { pending: 3, refused: 2 },
      mails: 2,
      refused: [
        { id: closed, why: 'This issue is Closed: only an issue that is Open or Acknowledged can be closed.' },
        { id: foreign, why: expect.stringContaining('work_on_issues') as string },
      ],
    })
    expect([await issues(), await app.db.prisma.comment.count(), await app.db.prisma.event.count()]).toEqual([before, 0, 0])
  })

  it.each([
    ['no change', {}, 'change'],
    ['two changes', { priority: 1, assignee_id: null }, 'change'],
    ['a transition without a comment', { transition: 'close' }, 'comment'],
    ['an outcome without a closing', { transition: 'acknowledge', comment: 'Seen.', outcome: 'fixed' }, 'outcome'],
    ['a receiver without a closing', { transition: 'acknowledge', comment: 'Seen.', passed_on_to: 'The county' }, 'outcome'],
    ['a receiver without its outcome', { transition: 'close', comment: 'Theirs.', passed_on_to: 'The county' }, 'passed_on_to'],
    [
      'an original without its outcome',
      { transition: 'close', comment: 'Twice.', outcome: 'fixed', duplicate_of: 1 },
      'duplicate_of',
    ],
    [
      'an unknown original',
      { transition: 'close', comment: 'Twice.', outcome: 'duplicate', duplicate_of: 999_999 },
      'duplicate_of',
    ],
    ['an unknown assignee', { assignee_id: 999_999 }, 'assignee_id'],
    ['an unknown request type', { request_type_id: 999_999 }, 'request_type_id'],
  ])('returns 422 for %s', async (_, change, field) => {
    const answer = await post('', { ids, change })

    expect([answer.status, Object.keys(answer.body as object)]).toEqual([422, [field]])
  })
})

describe('POST /bulk with a query', () => {
  const select = (query: object, change: object = { priority: 3 }) => post('', { query, change })
  const roads = async () => (await app.db.prisma.organization.findFirstOrThrow({ orderBy: { id: 'asc' } })).id

  it('selects all issues of the list of the organisation, with lists as JSON or as in a URL', async () => {
    await app.create.issue({ request_type: type, status: 'Closed' })
    await app.create.issue({ request_type: await app.create.requestType({ organization: await app.create.organization() }) })
    const organization_id = await roads()

    const answers = [
      await select({ organization_id, status: ['open', 'closed'] }),
      await select({ organization_id: String(organization_id), status: 'closed' }),
    ]

    expect(answers.map(({ body }) => (body as BulkRun).count)).toEqual([4, 1])
  })

  it('returns 422 for no issue, more issues than a run may have, both selections and none, and names a wrong filter', async () => {
    const organization_id = await roads()
    const none = await select({ organization_id, status: 'archived' })
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat, request_type_id) SELECT 'Hole', 0, 0, ${type}::integer FROM generate_series(1, 1001)`)
    const answers = [
      ...[none, await select({ organization_id })],
      ...[
        await post('', { ids, query: { organization_id }, change: { priority: 3 } }),
        await post('', { change: { priority: 3 } }),
      ],
      await select({ organization_id, priority: '9' }),
    ]

    expect(answers.map(({ status, body }) => [status, ...Object.keys(body as object)])).toEqual([
      ...[
        [422, 'query'],
        [422, 'query'],
        [422, 'ids'],
        [422, 'ids'],
      ],
      [422, 'query'],
    ])
    expect(answers[1]?.body).toEqual({ query: 'selects no issue or more than 1,000 issues: choose other filters' })
  })

  it('is for those who work on issues of the organisation', async () => {
    const answer = await select({ organization_id: await app.create.organization() })

    expect(answer.status).toBe(403)
  })
})

describe('a preview that is not run', () => {
  it('is deleted after a day, a run is not', async () => {
    const [{ id: old }, { id: done }] = [await preview({ priority: 3 }), await run({ priority: 2 })]

    await sweep('delete-expired-drafts', { db: app.db, clock: () => new Date(Date.now() + 23 * 3_600_000) })
    const before = await app.db.prisma.bulkRun.count()
    await sweep('delete-expired-drafts', { db: app.db, clock: () => new Date(Date.now() + 25 * 3_600_000) })

    expect([before, await app.db.prisma.bulkRun.findMany({ select: { id: true } })]).toEqual([2, [{ id: done }]])
    expect(await app.db.prisma.bulkRunIssue.count({ where: { run_id: old } })).toBe(0)
  })
})

describe('POST /bulk/:id/run', () => {
  it('changes each issue once, also if the job is interrupted or runs twice, and marks the log', async () => {
    const { id, hash } = await preview({ assignee_id: ben?.id })
    await post(`/${id}/run`, { hash })

    await Promise.all([work(), work()])
    await work()

    expect(await read(id)).toMatchObject({ state: 'done', counts: { done: 3, pending: 0, failed: 0 } })
    expect([await column('assignee_id'), await column('version')]).toEqual([ids.map(() => ben?.id), [2, 2, 2]])
    expect(await app.db.prisma.issueLog.findMany({ select: { bulk_run_id: true } })).toEqual(ids.map(() => ({ bulk_run_id: id })))
  })

  it('records an event of each assignment, of which the undo takes back the deliveries', async () => {
    const { id, undo_until } = await run({ assignee_id: ben?.id })

    const events = await app.db.prisma.event.findMany({
      where: { type: 'issue.assigned' },
      orderBy: { subject_id: 'asc' },
      include: { deliveries: true },
    })
    expect(events.map(({ subject_id, actor_id, payload }) => [subject_id, actor_id, payload])).toEqual(
      ids.map((issue) => [issue, ada?.id, { assignee_id: ben?.id }]),
    )
    expect(events.map(({ deliveries }) => deliveries.map(({ due_at }) => `${due_at.toISOString().slice(0, 19)}Z`))).toEqual(
      ids.map(() => [undo_until]),
    )
    await post(`/${id}/undo`)
    await work()
    expect(await app.db.prisma.outboxDelivery.count()).toBe(0)
  })

  it('refuses an assignee who may not work on the issues', async () => {
    const stranger = await app.create.user()

    const { count, refused } = await preview({ assignee_id: stranger.id })

    expect([count, refused.map(({ id }) => id)]).toEqual([0, ids])
  })

  it('writes exactly the mails of the preview, not before the end of the undo', async () => {
    await app.create.follow({ on: ids[0] ?? 0, by: follower as TestUser })
    await app.create.follow({ on: ids[2] ?? 0, by: follower as TestUser })

    const { mails, undo_until } = await run({ transition: 'acknowledge', comment: 'We know.' })

    const deliveries = await app.db.prisma.outboxDelivery.findMany({ where: { handler: 'notify' } })
    expect(deliveries.map(({ due_at }) => `${due_at.toISOString().slice(0, 19)}Z`)).toEqual(ids.map(() => undo_until))
    const written = await app.db.transaction(async (tx) => {
      let count = 0
      for (const { event_id } of deliveries) count += await addIssueMails(tx, Number(event_id))
      return count
    })
    expect([written, mails]).toEqual([2, 2])
  })

  it('returns 409 for another hash, a changed issue and a second run', async () => {
    const [first, second] = [await preview({ priority: 3 }), await preview({ priority: 2 })]

    const answers = [await post(`/${first.id}/run`, { hash: 'other' }), await post(`/${first.id}/run`, { hash: first.hash })]
    await work()
    answers.push(await post(`/${first.id}/run`, { hash: first.hash }), await post(`/${second.id}/run`, { hash: second.hash }))

    expect([answers.map(({ status }) => status), await column('priority')]).toEqual([
      [409, 202, 409, 409],
      [3, 3, 3],
    ])
  })

  it('leaves an issue that changes after the start', async () => {
    const { id, hash } = await preview({ priority: 3 })
    await post(`/${id}/run`, { hash })
    await app.db.prisma.issue.update({ where: { id: ids[1] ?? 0 }, data: { version: 9, priority: 0 } })

    await work()

    expect(await read(id)).toMatchObject({
      counts: { done: 2, failed: 1 },
      refused: [{ id: ids[1], why: 'It has changed since.' }],
    })
    expect(await column('priority')).toEqual([3, 0, 3])
  })
})

describe('POST /bulk/:id/undo', () => {
  it.each([
    ['priority', () => ({ priority: 3 })],
    ['assignee_id', () => ({ assignee_id: ben?.id })],
    ['request_type_id', () => ({ request_type_id: null })],
    ['status', () => ({ transition: 'close', comment: 'Repaired.', outcome: 'fixed' })],
  ] as const)('restores the %s and sends no mail', async (name, change) => {
    await app.create.follow({ on: ids[0] ?? 0, by: follower as TestUser })
    const before = await column(name)
    const { id } = await run(change())

    expect((await post(`/${id}/undo`)).status).toBe(202)
    await work()

    expect([await column(name), await column('outcome')]).toEqual([before, ids.map(() => null)])
    expect(await read(id)).toMatchObject({ state: 'undone', counts: { undone: 3 }, left: [] })
    expect([
      await app.db.prisma.outboxDelivery.count({ where: { handler: 'notify' } }),
      await app.db.prisma.comment.count(),
    ]).toEqual([0, 0])
    expect((await app.db.prisma.user.findUniqueOrThrow({ where: { id: ada?.id ?? 0 } })).civic_points).toBe(0)
  })

  it('leaves and names an issue that has changed since, ends a run that is not done, and is refused after ten minutes', async () => {
    const { id } = await run({ priority: 3 })
    await app.db.prisma.issue.update({ where: { id: ids[1] ?? 0 }, data: { version: 9 } })

    await post(`/${id}/undo`)
    await runNextBatch(app.db, new Date())
    await work()
    const again = await run({ priority: 2 })
    await app.db.prisma.bulkRun.update({ where: { id: again.id }, data: { undo_until: new Date(Date.now() - 1) } })

    expect(await read(id)).toMatchObject({ counts: { undone: 2, left: 1 }, left: [{ id: ids[1], why: 'It has changed since.' }] })
    expect((await post(`/${again.id}/undo`)).status).toBe(409)
  })
})
