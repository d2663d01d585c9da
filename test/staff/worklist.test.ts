import { beforeEach, describe, expect, it } from 'vitest'

import { IdRow, sql } from '../../src/database/database.ts'
import { mayActForIssue } from '../../src/issue-lifecycle/access.ts'
import { findIssueScope } from '../../src/issue-lifecycle/acting-organizations.ts'
import type { WorkIssue } from '../../src/staff/worklist/schema.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { setTarget } from '../helpers/set-target.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const FAR_AWAY = { lng: 20, lat: 20 }
let [roads, potholes, lights] = [0, 0, 0]
let ada: TestUser
let ben: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads', around: GREEN })
  potholes = await app.create.requestType({ organization: roads, title: 'Pothole' })
  lights = await app.create.requestType({ organization: roads, title: 'Street light' })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  ben = await app.create.user({ name: 'Ben Stone', memberOf: [{ organization: roads }] })
})

const get = (query = '', user = ada) => app.as.user(user).get(`/organizations/${roads}/issues${query}`)
const list = async (query = '') => ((await get(query)).body as { issues: WorkIssue[] }).issues
const summaries = async (query: string) => (await list(query)).map(({ summary }) => summary)
const hours = (count: number) => new Date(Date.now() + count * 3_600_000)

const createTarget = (issue_id: number, close: number) =>
  setTarget(app.db, issue_id, { started_at: hours(-100), close_by: hours(close) })

async function createIssues() {
  const own = { request_type: potholes }
  const late = await app.create.issue({ ...own, summary: 'Late', created_at: '2026-01-01T10:00:00Z', assignee: ben })
  const soon = await app.create.issue({ ...own, summary: 'Soon', created_at: '2026-03-01T10:00:00Z', at: FAR_AWAY })
  const urgent = await app.create.issue({ request_type: lights, summary: 'Urgent', created_at: '2026-02-01T10:00:00Z' })
  const closed = await app.create.issue({ ...own, summary: 'Closed', status: 'Closed', created_at: '2026-01-15T10:00:00Z' })
  const litter = await app.create.issue({ summary: 'Litter', at: GREEN, created_at: '2026-01-20T10:00:00Z', assignee: ada })
  await createTarget(late, -30)
  await createTarget(soon, 3)
  await app.db.prisma.issue.update({ where: { id: urgent }, data: { priority: 3 } })
  await app.db.prisma.issue.update({ where: { id: closed }, data: { outcome: 'passed_on' } })
  const text = 'Called the Contractor.'
  await app.db.prisma.issueNote.create({ data: { issue_id: soon, author_id: ben.id, text } })
  return { late, soon, urgent, closed, litter }
}

describe('GET /organizations/:id/issues', () => {
  it('returns the fields that fields[issue] names, those of staff too, and refuses others', async () => {
    const { urgent } = await createIssues()

    const [sparse, wrong] = [await get('?fields[issue]=id,priority&priority=3'), await get('?fields[issue]=id,notes')]

    expect(sparse).toMatchObject({ status: 200, body: { metadata: { pagination: { entries: 1 } }, errors: {} } })
    expect((sparse.body as { issues: object[] }).issues).toEqual([{ id: urgent, priority: 3 }])
    expect([wrong.status, Object.keys(wrong.body as object)]).toEqual([422, ['fields[issue]']])
  })

  it('lists the public issues of its types and those of the community in its area, newest first', async () => {
    await createIssues()
    const parks = await app.create.organization({ name: 'Parks', around: GREEN })
    await app.create.issue({ request_type: await app.create.requestType({ organization: parks }), summary: 'Tree' })
    await app.create.issue({ summary: 'Litter far away', at: FAR_AWAY })
    await app.create.issue({ request_type: potholes, summary: 'Held', moderation_state: 'held' })

    const { body, headers } = await get('?per_page=2')

    expect(body).toMatchObject({ metadata: { pagination: { entries: 5, pages: 3 } }, errors: {} })
    expect(headers['cache-control']).toContain('private')
    expect(await summaries('')).toEqual(['Soon', 'Urgent', 'Litter', 'Closed', 'Late'])
  })

  it('has version, priority, outcome, employee, notes and target of each issue', async () => {
    const { late } = await createIssues()

    const issues = await list('?sort=age')

    expect(issues[0]).toMatchObject({
      ...{ id: late, version: 1, priority: 1, outcome: null, vote_count: 0, notes_count: 0 },
      assignee: { id: ben.id, name: 'Ben Stone' },
      target: { acknowledge_by: null, due: 'close', state: 'late', paused_at: null, reason: null },
    })
    expect(
      issues.map(({ summary, priority, notes_count, outcome, target }) => [summary, priority, notes_count, outcome, target?.state]),
    ).toEqual([
      ['Late', 1, 0, null, 'late'],
      ['Closed', 1, 0, 'passed_on', undefined],
      ['Litter', 1, 0, null, undefined],
      ['Urgent', 3, 0, null, undefined],
      ['Soon', 1, 1, null, 'soon'],
    ])
  })

  it.each([
    ['late=close', ['Late']],
    ['late=soon', ['Soon']],
    ['late=acknowledge,close,soon', ['Soon', 'Late']],
    ['priority=2,3', ['Urgent']],
    ['assignee=none', ['Soon', 'Urgent', 'Closed']],
    ['assignee=me', ['Litter']],
    ['note=contract', ['Soon']],
    ['note=called%20plumber', []],
    ['outcome=fixed,passed_on', ['Closed']],
    ['waiting_since_before=2026-01-25', ['Litter', 'Late']],
    ['status=closed', ['Closed']],
    ['sort=target&status=open', ['Late', 'Soon', 'Urgent', 'Litter']],
    ['sort=priority', ['Urgent', 'Late', 'Closed', 'Litter', 'Soon']],
    ['sort=age&sort_direction=ASC', ['Soon', 'Urgent', 'Litter', 'Closed', 'Late']],
    ['sort=age&per_page=2&page=2', ['Litter', 'Urgent']],
    ['lat=20&lng=20&radius=1000', ['Soon']],
    ['search=urgent', ['Urgent']],
  ])('selects and sorts with ?%s', async (query, expected) => {
    await createIssues()

    const found = await summaries(`?${query}`)

    // Issues without a target follow in no fixed order.
    expect(query.startsWith('sort=target') ? found.slice(0, 2) : found).toEqual(
      query.startsWith('sort=target') ? expected.slice(0, 2) : expected,
    )
  })

  it('selects by number and by the id of an employee', async () => {
    const { urgent } = await createIssues()

    expect(await summaries(`?number=${urgent}`)).toEqual(['Urgent'])
    expect(await summaries(`?assignee=${ben.id}`)).toEqual(['Late'])
  })

  it.each([
    ['late=tomorrow', 'late'],
    ['priority=4', 'priority'],
    ['assignee=all', 'assignee'],
    ['assignee=2147483647', 'assignee'],
    ['note=%21%21', 'note'],
    [`note=${'a%20'.repeat(11)}`, 'note'],
    ['number=0', 'number'],
    ['waiting_since_before=soon', 'waiting_since_before'],
    ['outcome=done', 'outcome'],
    ['sort=size', 'sort'],
    ['Late=close', 'Late'],
    ['prioritys=3', 'prioritys'],
    ['bbox=1,2,3,4', 'bbox'],
    ['min_lat=1', 'min_lng'],
  ])('returns 422 for ?%s', async (query, field) => {
    const { status, body } = await get(`?${query}`)

    expect([status, Object.keys(body as object)]).toEqual([422, expect.arrayContaining([field])])
  })

  it('keeps priority, targets and notes from the public list', async () => {
    const { soon } = await createIssues()
    const before = await app.as.anonymous.get('/issues?status=open')
    await app.db.prisma.issueTarget.update({ where: { issue_id: soon }, data: { reason: 'Waits for the contractor of the road.' } })
    await app.db.prisma.issue.update({ where: { id: soon }, data: { priority: 2 } })

    const after = await app.as.anonymous.get('/issues?status=open')

    expect(before.text).not.toMatch(/"(priority|target|notes_count)":/)
    expect([after.text, after.headers['etag']]).toEqual([before.text, before.headers['etag']])
  })

  it('finds each issue of the predicate of permissions once', async () => {
    await createIssues()
    await app.create.issue({ summary: 'Far', at: FAR_AWAY })

    const find = (condition: ReturnType<typeof sql>) =>
      app.db.query(sql.type(IdRow)`SELECT i.id FROM issues i WHERE ${condition} ORDER BY i.id`)

    const found = await Promise.all((await findIssueScope(app.db, roads)).map(find))

    expect(found.flat()).toHaveLength(5)
    expect(found.flat().toSorted((a, b) => a.id - b.id)).toEqual(await find(mayActForIssue(sql`ARRAY[${roads}::integer]`)))
  })
})
