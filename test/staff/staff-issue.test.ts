import { beforeEach, describe, expect, it } from 'vitest'

import type { StaffIssue } from '../../src/staff/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [roads, potholes, lights, issue] = [0, 0, 0, 0]
let [ada, ben]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  potholes = await app.create.requestType({ organization: roads, title: 'Pothole' })
  lights = await app.create.requestType({ organization: roads, title: 'Street light' })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  ben = await app.create.user({ name: 'Ben Stone', memberOf: [{ organization: roads, role: 'manager' }] })
  issue = await app.create.issue({ request_type: potholes })
})

const as = (user: TestUser | undefined) => app.as.user(user as TestUser)
const read = async (user = ada) => (await as(user).get(`/issues/${issue}/work`)).body as StaffIssue
const put = (user: TestUser | undefined, step: string, body: object, version: number | '*' = '*') =>
  as(user).send('PUT', `/api/v2/issues/${issue}/${step}`, {
    body,
    headers: { 'if-match': version === '*' ? '*' : `"${version}"` },
  })

describe('the staff side of an issue', () => {
  it('has version, priority, notes and one log of changes by status and staff', async () => {
    await put(ada, 'priority', { priority: 3 })
    await as(ada).send('POST', `/api/v2/issues/${issue}/acknowledge`, { body: { comment: 'We come on Monday.' } })
    await put(ben, 'assignee', { assignee_id: ada?.id })
    await put(ben, 'type', { request_type_id: lights })
    await as(ben).send('POST', `/api/v2/issues/${issue}/notes`, { body: { text: ' The lamp is ordered. ' } })

    const staff = await read()

    expect(staff).toMatchObject({
      version: 5,
      status: 'Acknowledged',
      priority: 3,
      request_type_id: lights,
      assignee: { name: 'Ada Park' },
    })
    expect(staff.capabilities).toEqual(['read_issues', 'work_on_issues', 'report_for_caller'])
    expect(staff.notes).toMatchObject([{ text: 'The lamp is ordered.', author: { name: 'Ben Stone' }, edited_at: null }])
    expect(staff.log.map(({ kind, version, actor, before, after }) => [kind, version, actor?.name, before, after])).toEqual([
      ['type', 5, 'Ben Stone', { request_type_id: potholes }, { request_type_id: lights }],
      ['assignee', 4, 'Ben Stone', { assignee_id: null }, { assignee_id: ada?.id }],
      ['status', 3, 'Ada Park', { status: 'Open' }, { status: 'Acknowledged', comment_id: expect.any(Number) as number }],
      ['priority', 2, 'Ada Park', { priority: 1 }, { priority: 3 }],
    ])
  })

  it('refuses a change of an older version with 412 and what changed since', async () => {
    const { version } = await read()
    await put(ada, 'priority', { priority: 2 }, version)

    const late = await put(ben, 'priority', { priority: 0 }, version)

    expect(late).toMatchObject({
      status: 412,
      body: {
        version: 2,
        changes: [{ kind: 'priority', actor: { name: 'Ada Park' }, before: { priority: 1 }, after: { priority: 2 } }],
      },
    })
    expect((await read()).priority).toBe(2)
  })

  it('loses no update of two clerks: one of two changes from the same version is 412', async () => {
    for (let round = 0; round < 20; round++) {
      const { version, priority } = await read()
      const wanted = [(priority + 1) % 4, (priority + 2) % 4]

      const answers = await Promise.all([ada, ben].map((clerk, n) => put(clerk, 'priority', { priority: wanted[n] }, version)))

      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
      expect(await read()).toMatchObject({
        version: version + 1,
        priority: wanted[answers.findIndex(({ status }) => status === 200)],
      })
    }
  })

  it('adds nothing to the log if nothing changes', async () => {
    await put(ada, 'priority', { priority: 1 })
    await put(ada, 'type', { request_type_id: potholes })

    expect(await read()).toMatchObject({ version: 1, log: [] })
  })

  it('refuses a retired type, and takes one of the community', async () => {
    const graffiti = await app.create.requestType({ title: 'Graffiti' })
    await app.db.prisma.requestType.update({ where: { id: lights }, data: { active: false } })

    const answers = [await put(ada, 'type', { request_type_id: lights }), await put(ada, 'type', { request_type_id: graffiti })]

    expect(answers.map(({ status }) => status)).toEqual([422, 200])
  })

  it.each([2 ** 31, 1e300, 0, -1])('refuses the type %d, which no row can have', async (request_type_id) => {
    expect(await put(ada, 'type', { request_type_id })).toMatchObject({
      status: 422,
      body: { request_type_id: 'is not the id of a request type' },
    })
  })

  it('shows the new type to all users and the priority to staff alone', async () => {
    const before = await app.as.anonymous.get(`/issues/${issue}`)
    await put(ada, 'priority', { priority: 3 })
    await as(ada).send('POST', `/api/v2/issues/${issue}/notes`, { body: { text: 'Only staff may read this.' } })
    const unchanged = await app.as.anonymous.get(`/issues/${issue}`)
    await put(ada, 'type', { request_type_id: lights })

    const after = await app.as.anonymous.get(`/issues/${issue}`)

    expect([unchanged.text, unchanged.headers['etag']]).toEqual([before.text, before.headers['etag']])
    expect(after.body).toMatchObject({ request_type: { id: lights, title: 'Street light' } })
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
  })

  it('lets only the author edit and delete a note', async () => {
    const added = await as(ada).send('POST', `/api/v2/issues/${issue}/notes`, { body: { text: 'First.' } })
    const [note] = (added.body as StaffIssue).notes
    const path = `/api/v2/issues/${issue}/notes/${note?.id}`

    const byOther = await as(ben).send('PUT', path, { body: { text: 'Wrong.' }, headers: { 'if-match': '*' } })
    const edited = await as(ada).send('PUT', path, { body: { text: 'Second.' }, headers: { 'if-match': '*' } })
    const deleted = await as(ada).send('DELETE', path)

    expect([byOther.status, edited.status, deleted.status]).toEqual([404, 200, 204])
    expect((edited.body as StaffIssue).notes).toMatchObject([{ text: 'Second.', edited_at: expect.any(String) as string }])
    expect((await read()).notes).toEqual([])
  })

  it('gives an ETag that is If-Match of a change until the next one, and changes with each note', async () => {
    const etag = async () => String((await as(ada).get(`/issues/${issue}/work`)).headers['etag'])
    const first = await etag()
    await as(ada).send('POST', `/api/v2/issues/${issue}/notes`, { body: { text: 'First.' } })
    const send = async (version: string) =>
      (await as(ada).send('PUT', `/api/v2/issues/${issue}/priority`, { body: { priority: 2 }, headers: { 'if-match': version } }))
        .status

    const second = await etag()
    const [accepted, again, unchanged] = [
      await send(first),
      await send(second),
      await as(ada).get(`/issues/${issue}/work`, { 'if-none-match': await etag() }),
    ]

    expect(first).toMatch(/^"1\.[\w-]{27}"$/)
    expect(second).not.toBe(first)
    expect([accepted, again, unchanged.status]).toEqual([200, 412, 304])
  })

  it.each([
    [undefined, 428],
    ['soon', 422],
    ['"0"', 422],
    ['W/"1"', 422],
    ['"1"', 200],
    ['1', 200],
  ])('returns for If-Match %s the status %i', async (version, status) => {
    const headers = version === undefined ? {} : { 'if-match': version }

    expect((await as(ada).send('PUT', `/api/v2/issues/${issue}/priority`, { body: { priority: 2 }, headers })).status).toBe(status)
  })
})
