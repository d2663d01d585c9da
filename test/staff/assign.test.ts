import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
let [roads, type, issue] = [0, 0, 0]
let [ada, bob]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  bob = await app.create.user({ name: 'Ben Stone', memberOf: [{ organization: roads, role: 'manager' }] })
  issue = await app.create.issue({ request_type: type })
})

const assign = (person: TestUser | undefined, body: unknown, id = issue, headers: Record<string, string> = {}) =>
  (person ? app.as.user(person) : app.as.anonymous).send('PUT', `/api/v2/issues/${id}/assignee`, {
    body,
    headers: { 'if-match': '*', ...headers },
  })
const to = (person: TestUser | undefined) => ({ assignee_id: person?.id })
const getAssignee = async (id = issue) => (await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })).assignee_id
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const INVALID_ASSIGNEE = {
  status: 422,
  body: { assignee_id: 'must be an employee of an organisation that looks after this issue' },
}

describe('PUT /issues/:id/assignee', () => {
  stopTimers()

  it('assigns an issue to an employee, returns 200 with the issue as GET does, and records an event', async () => {
    const answer = await assign(ada, to(bob))

    expect(answer).toMatchObject({ status: 200, body: { id: issue, assignee: { id: bob?.id, name: 'Ben Stone' } } })
    expect(answer.body).toEqual((await app.as.user(ada as TestUser).get(`/issues/${issue}`)).body)
    expect(await events()).toEqual([
      { type: 'issue.assigned', subject_id: issue, actor_id: ada?.id, payload: { assignee_id: bob?.id } },
    ])
  })

  it('shows the assignee in lists and to the assignee', async () => {
    const other = await app.create.issue({ request_type: type })
    await assign(ada, to(bob))
    const found = async (client: (typeof app.as)['anonymous'], query: string) =>
      parseIssueList(await client.get(`/issues?${query}`)).issues.map(({ id }) => id)
    const getRelationship = async (person: TestUser) =>
      ((await app.as.user(person).get(`/issues/${issue}`)).body as ExtendedIssue).current_user_relationship.assignee

    expect(await found(app.as.anonymous, `assigned=${bob?.id}`)).toEqual([issue])
    expect(await found(app.as.anonymous, 'assigned=unassigned')).toEqual([other])
    expect(await found(app.as.user(bob as TestUser), 'assigned_to_me=true')).toEqual([issue])
    expect(await found(app.as.user(ada as TestUser), 'assigned_to_me=true')).toEqual([])
    expect([await getRelationship(ada as TestUser), await getRelationship(bob as TestUser)]).toEqual([false, true])
  })

  it('withdraws the assignment for null and for an empty form field', async () => {
    const form = new FormData()
    form.append('assignee_id', String(ada?.id))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }

    const answers = [
      await assign(ada, to(bob)),
      await assign(ada, { assignee_id: null }),
      await assign(ada, form),
      await assign(ada, 'assignee_id=', issue, headers),
      await assign(ada, `assignee_id=${bob?.id}`, issue, headers),
    ]

    expect(answers.map(({ status, body }) => [status, (body as ExtendedIssue).assignee?.id])).toEqual([
      [200, bob?.id],
      [200, undefined],
      [200, ada?.id],
      [200, undefined],
      [200, bob?.id],
    ])
    expect((await events()).map((event) => (event as { payload: object }).payload)).toEqual([
      { assignee_id: bob?.id },
      {},
      { assignee_id: ada?.id },
      {},
      { assignee_id: bob?.id },
    ])
  })

  it('changes nothing for the same assignee', async () => {
    await assign(ada, to(bob))
    const before = await app.as.anonymous.get(`/issues/${issue}`)

    const again = await assign(bob, to(bob))

    const after = await app.as.anonymous.get(`/issues/${issue}`)
    expect([again.status, after.text, after.headers['etag']]).toEqual([200, before.text, before.headers['etag']])
    expect(await events()).toHaveLength(1)
  })

  it('increases updated_at and never decreases it', async () => {
    const future = await app.create.issue({ request_type: type, updated_at: '2126-01-01T00:00:00Z' })
    const startedAt = new Date().toISOString()

    const [now, never] = [await assign(ada, to(bob)), await assign(ada, to(bob), future)]

    expect((now.body as ExtendedIssue).updated_at >= startedAt.slice(0, 19)).toBe(true)
    expect((never.body as ExtendedIssue).updated_at).toBe('2126-01-01T00:00:00Z')
  })

  it.each(['Acknowledged', 'Closed', 'Archived'] as const)('assigns an issue with the status %s, too', async (status) => {
    const id = await app.create.issue({ request_type: type, status })

    expect(await assign(ada, to(bob), id)).toMatchObject({ status: 200, body: { status, assignee: { id: bob?.id } } })
  })

  it('returns 401 for anonymous callers and 403 for users who do not act for the issue', async () => {
    const parks = await app.create.organization({ name: 'Parks' })
    const resident = await app.create.user()
    const elsewhere = await app.create.user({ memberOf: [{ organization: parks, role: 'moderator' }] })
    const admin = await app.create.user({ role: 'Admin' })

    const answers = await Promise.all([undefined, resident, elsewhere].map((person) => assign(person, to(bob))))

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403])
    expect(answers[2]?.body).toMatchObject({
      message: 'This is for members of the organisation that looks after the issue whose role has the capability work_on_issues.',
    })
    expect([await getAssignee(), await events()]).toEqual([null, []])
    expect((await assign(admin, to(bob))).status).toBe(200)
  })

  it('allows employees of every organisation whose area covers the point of a community issue, edges included', async () => {
    const parks = await app.create.organization({ name: 'Parks', around: FAR_AWAY })
    const far = await app.create.user({ memberOf: [{ organization: parks }] })
    const inside = await app.create.issue()
    const edge = await app.create.issue({ at: { lng: GREEN.lng + 0.1, lat: GREEN.lat } })
    const outside = await app.create.issue({ at: { lng: GREEN.lng + 0.100001, lat: GREEN.lat } })

    const statuses = async (person: TestUser | undefined, assignee: TestUser | undefined) =>
      Promise.all([inside, edge, outside].map(async (id) => (await assign(person, to(assignee), id)).status))

    expect(await statuses(ada, bob)).toEqual([200, 200, 403])
    expect(await statuses(far, far)).toEqual([403, 403, 403])
    expect(await assign(ada, to(far), inside)).toMatchObject(INVALID_ASSIGNEE)
  })

  it('rejects users who do not act for the issue and unknown users with the same message', async () => {
    const parks = await app.create.organization({ name: 'Parks' })
    const people = [
      await app.create.user(),
      await app.create.user({ memberOf: [{ organization: parks }] }),
      await app.create.user({ role: 'Admin' }),
    ]
    const ids = [...people.map(({ id }) => id), 999_999, 0, -1, 2_147_483_648, 1e300]

    const answers = await Promise.all(ids.map((assignee_id) => assign(ada, { assignee_id })))

    expect(answers).toMatchObject(ids.map(() => INVALID_ASSIGNEE))
    expect([await getAssignee(), await events()]).toEqual([null, []])
  })

  it.each([
    ['nothing', {}, 'is required: the id of a user, or null to unassign'],
    ['a name', { assignee_id: 'Ben Stone' }, 'must be the id of a user, or null to unassign'],
    ['half a person', { assignee_id: 1.5 }, 'must be the id of a user, or null to unassign'],
    ['several', { assignee_id: [1, 2] }, 'must be given only once'],
  ])('returns a validation error for %s', async (_, body, assignee_id) => {
    expect(await assign(ada, body)).toMatchObject({ status: 422, body: { assignee_id } })
  })

  it('returns 404 for an issue that is not public, 422 {base} to moderators, and 404 for an unknown issue', async () => {
    const pending = await app.create.issue({ request_type: type, moderation_state: 'held' })

    const answers = [await assign(ada, to(ada), pending), await assign(bob, to(ada), pending), await assign(ada, to(ada), 999)]

    expect(answers.map(({ status }) => status)).toEqual([404, 422, 404])
    expect(Object.keys(answers[1]?.body as object)).toEqual(['base'])
    expect(await getAssignee(pending)).toBeNull()
  })

  it('leaves one assignee after concurrent requests, with an event for each change', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => assign(ada, to(n % 2 ? ada : bob))))

    const changes = (await events()) as { payload: { assignee_id: number } }[]
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(changes.map(({ payload }) => payload.assignee_id).filter((id, n, all) => id === all[n - 1])).toEqual([])
    expect(await getAssignee()).toBe(changes.at(-1)?.payload.assignee_id)
  })
})
