import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import { FAR_AWAY, GREEN, type Person } from '../helpers/given.ts'
import { listIn } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const it = useApp()
let [roads, type, issue] = [0, 0, 0]
let [ada, bob]: Person[] = []

beforeEach(async () => {
  roads = await it.given.organization({ name: 'Roads' })
  type = await it.given.requestType({ organization: roads })
  ada = await it.given.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  bob = await it.given.user({ name: 'Ben Stone', memberOf: [{ organization: roads, role: 'moderator' }] })
  issue = await it.given.issue({ request_type: type })
})

const assign = (person: Person | undefined, body: unknown, id = issue, headers: Record<string, string> = {}) =>
  (person ? it.as.user(person) : it.as.nobody).send('PUT', `/api/v2/issues/${id}/assignee`, { body, headers })
const to = (person: Person | undefined) => ({ assignee_id: person?.id })
const assigneeOf = async (id = issue) => (await it.db.prisma.issue.findUniqueOrThrow({ where: { id } })).assignee_id
const events = () => queryRows(it.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const FAULT = {
  status: 422,
  body: { assignee_id: 'must be an employee of an organisation that looks after this issue' },
}

describe('PUT /issues/:id/assignee', () => {
  test('gives an issue of the organisation to an employee: 200 with the issue, as GET has it, and an event', async () => {
    const answer = await assign(ada, to(bob))

    expect(answer).toMatchObject({ status: 200, body: { id: issue, assignee: { id: bob?.id, name: 'Ben Stone' } } })
    expect(answer.body).toEqual((await it.as.user(ada as Person).get(`/issues/${issue}`)).body)
    expect(await events()).toEqual([
      { type: 'issue.assigned', subject_id: issue, actor_id: ada?.id, payload: { assignee_id: bob?.id } },
    ])
  })

  test('shows in lists and to the assignee', async () => {
    const other = await it.given.issue({ request_type: type })
    await assign(ada, to(bob))
    const found = async (client: (typeof it.as)['nobody'], query: string) =>
      listIn(await client.get(`/issues?${query}`)).issues.map(({ id }) => id)
    const relationOf = async (person: Person) =>
      ((await it.as.user(person).get(`/issues/${issue}`)).body as ExtendedIssue).current_user_relationship.assignee

    expect(await found(it.as.nobody, `assigned=${bob?.id}`)).toEqual([issue])
    expect(await found(it.as.nobody, 'assigned=unassigned')).toEqual([other])
    expect(await found(it.as.user(bob as Person), 'assigned_to_me=true')).toEqual([issue])
    expect(await found(it.as.user(ada as Person), 'assigned_to_me=true')).toEqual([])
    expect([await relationOf(ada as Person), await relationOf(bob as Person)]).toEqual([false, true])
  })

  test('takes it away from everybody with null, and with an empty field of a form', async () => {
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

  test('changes nothing when it is the same again', async () => {
    await assign(ada, to(bob))
    const before = await it.as.nobody.get(`/issues/${issue}`)

    const again = await assign(bob, to(bob))

    const after = await it.as.nobody.get(`/issues/${issue}`)
    expect([again.status, after.text, after.headers['etag']]).toEqual([200, before.text, before.headers['etag']])
    expect(await events()).toHaveLength(1)
  })

  test('is a change of the issue: updated_at moves, and never back', async () => {
    const future = await it.given.issue({ request_type: type, updated_at: '2126-01-01T00:00:00Z' })
    const startedAt = new Date().toISOString()

    const [now, never] = [await assign(ada, to(bob)), await assign(ada, to(bob), future)]

    expect((now.body as ExtendedIssue).updated_at >= startedAt.slice(0, 19)).toBe(true)
    expect((never.body as ExtendedIssue).updated_at).toBe('2126-01-01T00:00:00Z')
  })

  test.each(['Acknowledged', 'Closed', 'Archived'] as const)('assigns an issue that is %s, too', async (status) => {
    const id = await it.given.issue({ request_type: type, status })

    expect(await assign(ada, to(bob), id)).toMatchObject({ status: 200, body: { status, assignee: { id: bob?.id } } })
  })

  test('is for those who act for the issue: 401 for nobody, 403 for others', async () => {
    const parks = await it.given.organization({ name: 'Parks' })
    const resident = await it.given.user()
    const elsewhere = await it.given.user({ memberOf: [{ organization: parks, role: 'moderator' }] })
    const admin = await it.given.user({ role: 'Admin' })

    const answers = await Promise.all([undefined, resident, elsewhere].map((person) => assign(person, to(bob))))

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403])
    expect(answers[2]?.body).toMatchObject({ message: 'This is for employees of the organisation that looks after the issue.' })
    expect([await assigneeOf(), await events()]).toEqual([null, []])
    expect((await assign(admin, to(bob))).status).toBe(200)
  })

  test('of a community issue is for employees of every organisation whose area covers the point, edges included', async () => {
    const parks = await it.given.organization({ name: 'Parks', around: FAR_AWAY })
    const far = await it.given.user({ memberOf: [{ organization: parks }] })
    const inside = await it.given.issue()
    const edge = await it.given.issue({ at: { lng: GREEN.lng + 0.1, lat: GREEN.lat } })
    const outside = await it.given.issue({ at: { lng: GREEN.lng + 0.100001, lat: GREEN.lat } })

    const statuses = async (person: Person | undefined, assignee: Person | undefined) =>
      Promise.all([inside, edge, outside].map(async (id) => (await assign(person, to(assignee), id)).status))

    expect(await statuses(ada, bob)).toEqual([200, 200, 403])
    expect(await statuses(far, far)).toEqual([403, 403, 403])
    expect(await assign(ada, to(far), inside)).toMatchObject(FAULT)
  })

  test('refuses whoever does not work for an organisation that acts for it, and who does not exist, in the same words', async () => {
    const parks = await it.given.organization({ name: 'Parks' })
    const people = [
      await it.given.user(),
      await it.given.user({ memberOf: [{ organization: parks }] }),
      await it.given.user({ role: 'Admin' }),
    ]
    const ids = [...people.map(({ id }) => id), 999_999, 0, -1, 2_147_483_648, 1e300]

    const answers = await Promise.all(ids.map((assignee_id) => assign(ada, { assignee_id })))

    expect(answers).toMatchObject(ids.map(() => FAULT))
    expect([await assigneeOf(), await events()]).toEqual([null, []])
  })

  test.each([
    ['nothing', {}, 'is required: the id of a user, or null for nobody'],
    ['a name', { assignee_id: 'Ben Stone' }, 'must be the id of a user, or null for nobody'],
    ['half a person', { assignee_id: 1.5 }, 'must be the id of a user, or null for nobody'],
    ['several', { assignee_id: [1, 2] }, 'must be given once only'],
  ])('names what is wrong with %s', async (_, body, assignee_id) => {
    expect(await assign(ada, body)).toMatchObject({ status: 422, body: { assignee_id } })
  })

  test('of what is not public is 404, and 422 {base} to moderators; and 404 of what is not', async () => {
    const held = await it.given.issue({ request_type: type, moderation_state: 'held' })

    const answers = [await assign(ada, to(ada), held), await assign(bob, to(ada), held), await assign(ada, to(ada), 999)]

    expect(answers.map(({ status }) => status)).toEqual([404, 422, 404])
    expect(Object.keys(answers[1]?.body as object)).toEqual(['base'])
    expect(await assigneeOf(held)).toBeNull()
  })

  test('by many at once leaves one of them, with an event for each change', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => assign(ada, to(n % 2 ? ada : bob))))

    const changes = (await events()) as { payload: { assignee_id: number } }[]
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(changes.map(({ payload }) => payload.assignee_id).filter((id, n, all) => id === all[n - 1])).toEqual([])
    expect(await assigneeOf()).toBe(changes.at(-1)?.payload.assignee_id)
  })
})
