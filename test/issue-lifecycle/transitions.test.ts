import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Issue } from '../../src/issues/schema.ts'
import { FAR_AWAY, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

type Status = 'Open' | 'Acknowledged' | 'Closed' | 'Archived'
type Transition = 'open' | 'close' | 'acknowledge'
const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
const transitions = ['open', 'close', 'acknowledge'] as const

/** The table of the interface, repeated here so that the code is not compared with itself. */
const byResidents: Partial<Record<`${Transition} ${Status}`, Status>> = { 'close Open': 'Closed', 'open Closed': 'Open' }
const byEmployees: typeof byResidents = { ...byResidents, 'acknowledge Open': 'Acknowledged', 'close Acknowledged': 'Closed' }

let people: Record<'resident' | 'reporter' | 'employee' | 'elsewhere' | 'far' | 'admin', TestUser>
let type: number

beforeEach(async () => {
  const [roads, parks] = [await app.create.organization({ name: 'Roads' }), await app.create.organization({ name: 'Parks' })]
  const far = await app.create.organization({ name: 'Far', around: FAR_AWAY })
  people = {
    resident: await app.create.user(),
    reporter: await app.create.user(),
    employee: await app.create.user({ memberOf: [{ organization: roads }] }),
    elsewhere: await app.create.user({ memberOf: [{ organization: parks }] }),
    far: await app.create.user({ memberOf: [{ organization: far }] }),
    admin: await app.create.user({ role: 'Admin' }),
  }
  type = await app.create.requestType({ organization: roads })
})

const post = (
  who: TestUser,
  id: number,
  move: string,
  body: object = { comment: 'Because.' },
  headers: Record<string, string> = {},
) => app.as.user(who).send('POST', `/api/v2/issues/${id}/${move}`, { body, headers })
const getIssue = async (id: number): Promise<Record<string, unknown>> =>
  (await app.as.anonymous.get(`/issues/${id}`)).body as Record<string, unknown>
const listHistory = (id: number) =>
  queryRows(
    app.db,
    sql`
    SELECT h.from_status, h.to_status, h.actor_id, h.comment_id FROM status_changes h WHERE h.issue_id = ${id} ORDER BY h.id`,
  )

describe.each([
  ['an issue of the organisation', (): number | undefined => type, ['employee', 'admin']],
  ['an issue of the community', (): number | undefined => undefined, ['employee', 'elsewhere', 'admin']],
] as const)('%s', (_what, typeOf, acting) => {
  it('allows exactly the transitions of the table, for every role and from every status', async () => {
    const mismatches: string[] = []
    for (const [persona, person] of Object.entries(people)) {
      const isActing = (acting as readonly string[]).includes(persona)
      for (const status of statuses) {
        for (const move of transitions) {
          const request_type = typeOf()
          const id = await app.create.issue({ status, reporter: people.reporter, ...(request_type ? { request_type } : {}) })
          const to = (isActing ? byEmployees : byResidents)[`${move} ${status}`]
          const expected = to ? 201 : byEmployees[`${move} ${status}`] ? 403 : 422

          const offered = (await app.as.user(person).get(`/issues/${id}`)).body as Pick<Issue, 'actions' | 'transitions'>
          // Each text is unique, because the third identical one is pending review.
          const answer = await post(person, id, move, { comment: `${move} ${id}` })

          expect(Object.fromEntries(offered.actions.map(({ name, url }) => [`${name}_url`, url]))).toEqual(offered.transitions)
          const after = (await getIssue(id))['status']
          const actual = [answer.status, after, Object.hasOwn(offered.transitions, `${move}_url`), (await listHistory(id)).length]
          const expectation = [expected, to ?? status, to !== undefined, to ? 1 : 0]
          if (String(actual) !== String(expectation))
            mismatches.push(`${persona} ${move} ${status}: ${String(actual)}, not ${String(expectation)}`)
          if (expected === 422) expect(answer.body).toEqual({ base: expect.stringMatching(/archived|can be/) })
        }
      }
    }
    expect(mismatches).toEqual([])
  })
})

describe('POST /issues/:id/close|open|acknowledge', () => {
  it('returns the comment with the new status, and updates the timestamps and the history of the issue', async () => {
    const id = await app.create.issue({ request_type: type, reporter: people.reporter })

    const acknowledged = await post(people.employee, id, 'acknowledge', { comment: ' On the list. ' })
    const closed = await post(people.employee, id, 'close', { comment: 'Filled.', youtube_url: 'https://youtu.be/dQw4w9WgXcQ' })
    const opened = await post(people.resident, id, 'open', { comment: 'Came back.' })

    expect([acknowledged.status, closed.status, opened.status]).toEqual([201, 201, 201])
    const { id: commentId, ...body } = acknowledged.body as { id: number }
    expect(body).toEqual({
      comment: 'On the list.',
      body: 'On the list.',
      moderated: false,
      commenter: expect.objectContaining({ id: people.employee.id, civic_points: 5 }) as unknown,
      created_at: expect.any(String) as unknown,
      updated_at: expect.any(String) as unknown,
      issue: { status: 'Acknowledged', rating: '2' },
      media: { video_url: null, image_full: null, image_square_100x100: null },
      flag_url: `http://fixpoint.test/api/v2/comments/${commentId}/flag`,
      issue_url: `http://fixpoint.test/api/v2/issues/${id}`,
      editable_until: null,
      last_edited_at: null,
    })
    expect(closed.body).toMatchObject({
      issue: { status: 'Closed', rating: '2' },
      media: { video_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' },
    })
    expect(opened.body).toMatchObject({ issue: { status: 'Open', rating: '2' } })
    const issue = await getIssue(id)
    expect(issue).toMatchObject({
      ...{ status: 'Open', rating: '2', comment_count: 3 },
      acknowledged_at: (acknowledged.body as { created_at: string }).created_at,
      closed_at: (closed.body as { created_at: string }).created_at,
      reopened_at: (opened.body as { created_at: string }).created_at,
      updated_at: (opened.body as { created_at: string }).created_at,
    })
    const ids = [acknowledged, closed, opened].map((answer) => (answer.body as { id: number }).id)
    const { employee, resident } = people
    expect(await listHistory(id)).toEqual([
      { from_status: 'Open', to_status: 'Acknowledged', actor_id: employee.id, comment_id: ids[0] },
      { from_status: 'Acknowledged', to_status: 'Closed', actor_id: employee.id, comment_id: ids[1] },
      { from_status: 'Closed', to_status: 'Open', actor_id: resident.id, comment_id: ids[2] },
    ])
    expect(
      await queryRows(
        app.db,
        sql`SELECT e.type, e.subject_id, e.actor_id, e.payload -> 'comment_id' AS comment_id FROM events e ORDER BY e.id`,
      ),
    ).toEqual([
      { type: 'issue.acknowledged', subject_id: id, actor_id: employee.id, comment_id: ids[0] },
      { type: 'issue.closed', subject_id: id, actor_id: employee.id, comment_id: ids[1] },
      { type: 'issue.reopened', subject_id: id, actor_id: resident.id, comment_id: ids[2] },
    ])
  })

  it('overwrites closed_at at the second close and keeps reopened_at', async () => {
    const id = await app.create.issue({ status: 'Closed', closed_at: '2026-01-05T00:00:00Z' })
    await post(people.resident, id, 'open')
    expect(await getIssue(id)).toMatchObject({
      status: 'Open',
      closed_at: '2026-01-05T00:00:00Z',
      reopened_at: expect.any(String) as unknown,
    })
    await post(people.resident, id, 'close')
    const after = await getIssue(id)
    expect(after['status']).toBe('Closed')
    expect(after['closed_at']).not.toBe('2026-01-05T00:00:00Z')
    expect(after['reopened_at']).not.toBe(null)
  })

  it('changes nothing without a comment, and reports a forbidden transition together with the other validation errors', async () => {
    const id = await app.create.issue({ status: 'Archived' })
    const answer = await post(people.resident, id, 'open', { comment: ' \n ', youtube_url: 'https://vimeo.com/1' })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        comment: 'must be text of 1 to 10,000 characters',
        youtube_url: 'must be the address of a video on YouTube',
        base: 'This issue is archived: its status cannot change any more.',
      },
    })
    const open = await app.create.issue({})
    expect(await post(people.resident, open, 'close', {})).toMatchObject({
      status: 422,
      body: { comment: 'is required: text of 1 to 10,000 characters' },
    })
    expect(await getIssue(open)).toMatchObject({ status: 'Open', comment_count: 0 })
  })

  it('returns 401 for anonymous callers, 403 before validation if an employee is required, and 404 for unreadable issues', async () => {
    const id = await app.create.issue({ request_type: type })
    const pending = await app.create.issue({ moderation_state: 'held', reporter: people.reporter })
    expect(await app.as.anonymous.send('POST', `/api/v2/issues/${id}/close`, { body: {} })).toMatchObject({ status: 401 })
    expect(await post(people.elsewhere, id, 'acknowledge', {})).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('employees') as unknown, documentation_url: expect.any(String) as unknown },
    })
    for (const unknown of ['2000000000', 'x', '0', '99999999999']) {
      expect(await app.as.user(people.resident).send('POST', `/api/v2/issues/${unknown}/close`, { body: {} })).toMatchObject({
        status: 404,
      })
    }
    expect(await post(people.resident, pending, 'close')).toMatchObject({ status: 404 })
    expect(await post(people.reporter, pending, 'close')).toMatchObject({
      status: 422,
      body: { base: expect.stringContaining('not public') as unknown },
    })
  })

  it('closes once for one Idempotency-Key and replays the response, even if the issue was reopened meanwhile', async () => {
    const id = await app.create.issue({})
    const key = { 'idempotency-key': 'close-once' }
    const first = await post(people.resident, id, 'close', undefined, key)
    await post(people.resident, id, 'open')
    const again = await post(people.resident, id, 'close', undefined, key)
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(await getIssue(id)).toMatchObject({ status: 'Open', comment_count: 2 })
  })

  it('returns 202 for a comment that needs a review, and changes nothing but stores the requested transition', async () => {
    const id = await app.create.issue({})
    const answer = await post(people.resident, id, 'close', { comment: 'You asshole' })
    expect(answer).toMatchObject({ status: 202, body: { metadata: { moderated: true } } })
    expect(await getIssue(id)).toMatchObject({
      status: 'Open',
      comment_count: 0,
      closed_at: null,
      updated_at: '2026-01-01T00:00:00Z',
    })
    expect(await listHistory(id)).toEqual([])
    const items = await queryRows(
      app.db,
      sql`SELECT m.subject_type, m.reasons, m.original, m.requested_transition, m.state FROM moderation_items m`,
    )
    expect(items).toEqual([
      {
        subject_type: 'comment',
        reasons: ['words'],
        original: { comment: 'You asshole' },
        requested_transition: 'close',
        state: 'held',
      },
    ])
    const points = await app.as.anonymous.get(`/users/${people.resident.id}`)
    expect(points.body).toMatchObject({ civic_points: 0, comments_count: 0, closed_issue_count: 0 })
  })
})

describe('the field transitions', () => {
  it('contains what the caller may do now, in lists too, and is empty for anonymous callers and pending issues', async () => {
    const open = await app.create.issue({ request_type: type })
    const closed = await app.create.issue({ status: 'Closed' })
    const pending = await app.create.issue({ moderation_state: 'held', reporter: people.reporter })
    const url = (id: number, move: string) => `http://fixpoint.test/api/v2/issues/${id}/${move}`
    const listFor = async (client: { get: typeof app.as.anonymous.get }) => {
      const { issues } = (await client.get('/issues?sort=created_at&sort_direction=ASC')).body as {
        issues: { id: number; transitions: object }[]
      }
      return issues.map(({ transitions }) => transitions)
    }
    expect(await listFor(app.as.anonymous)).toEqual([{}, {}])
    expect(await listFor(app.as.user(people.resident))).toEqual([
      { close_url: url(open, 'close') },
      { open_url: url(closed, 'open') },
    ])
    expect(await listFor(app.as.user(people.employee))).toEqual([
      { close_url: url(open, 'close'), acknowledge_url: url(open, 'acknowledge') },
      { open_url: url(closed, 'open') },
    ])
    expect((await app.as.user(people.reporter).get(`/issues/${pending}`)).body).toMatchObject({ transitions: {} })
  })

  it('changes the ETag when the area of an organisation grows to cover the issue', async () => {
    const id = await app.create.issue({})
    const far = app.as.user(people.far)
    const before = await far.get(`/issues/${id}`)
    await app.db.execute(sql`
      UPDATE organizations o SET area = (SELECT r.area FROM organizations r WHERE r.name = 'Roads') WHERE o.name = 'Far' RETURNING o.id`)
    const after = await far.get(`/issues/${id}`, { 'if-none-match': String(before.headers['etag']) })
    expect(before.body).toMatchObject({ transitions: { close_url: expect.any(String) as unknown } })
    expect(after).toMatchObject({ status: 200, body: { transitions: { acknowledge_url: expect.any(String) as unknown } } })
  })
})
