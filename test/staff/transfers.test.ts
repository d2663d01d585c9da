import { beforeEach, describe, expect, it } from 'vitest'

import type { StaffIssue } from '../../src/staff/schema.ts'
import type { Transfer } from '../../src/staff/transfers/schema.ts'
import { FAR_AWAY, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [roads, parks, potholes, trees, issue] = [0, 0, 0, 0, 0]
let [ada, pat]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  parks = await app.create.organization({ name: 'Parks' })
  potholes = await app.create.requestType({ organization: roads, title: 'Pothole' })
  trees = await app.create.requestType({ organization: parks, title: 'Tree' })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  pat = await app.create.user({ name: 'Pat Stone', memberOf: [{ organization: parks }] })
  issue = await app.create.issue({ request_type: potholes, assignee: ada })
})

const post = (user: TestUser | undefined, path: string, body: object, version = '*') =>
  app.as.user(user as TestUser).send('POST', `/api/v2${path}`, { body, headers: { 'if-match': version } })
const REASON = 'The branch hangs over a park.'
const offer = (body: object = {}, id = issue, version = '*') =>
  post(ada, `/issues/${id}/transfer`, { organization_id: parks, reason: REASON, ...body }, version)
const offered = async () => (await offer()).body as Transfer
const list = async (user: TestUser | undefined, organization: number) =>
  ((await app.as.user(user as TestUser).get(`/organizations/${organization}/transfers`)).body as { transfers: Transfer[] })
    .transfers
const work = async (user: TestUser | undefined) =>
  (await app.as.user(user as TestUser).get(`/issues/${issue}/work`)).body as StaffIssue

describe('POST /issues/:id/transfer', () => {
  it('offers the issue, which stays with its organisation until the answer', async () => {
    const answer = await offer({ request_type_id: trees }, issue, '"1"')

    expect(answer).toMatchObject({
      status: 201,
      body: {
        issue: { id: issue, version: 2 },
        from: { id: roads, name: 'Roads' },
        to: { id: parks, name: 'Parks' },
        reason: REASON,
        request_type_id: trees,
        offered_by: { name: 'Ada Park' },
        state: 'offered',
        answered_by: null,
      },
    })
    const transfer = answer.body as Transfer
    expect([await list(ada, roads), await list(pat, parks), (await work(ada)).transfer]).toEqual([[transfer], [transfer], transfer])
    expect(await work(ada)).toMatchObject({
      request_type_id: potholes,
      log: [{ kind: 'transfer', version: 2, after: { reason: REASON, organization_id: parks }, is_public: false }],
    })
  })

  it('names the field of an unknown organisation, its own, one elsewhere and a type of another one', async () => {
    const far = await app.create.organization({ name: 'Far', around: FAR_AWAY })

    const answers = [
      await offer({ organization_id: 999_999 }),
      await offer({ organization_id: roads }),
      await offer({ organization_id: far }),
      await offer({ request_type_id: potholes }),
      await offer({ reason: ' ' }),
    ]

    expect(answers.map(({ status, body }) => [status, Object.keys(body as object)])).toEqual([
      [422, ['organization_id']],
      [422, ['organization_id']],
      [422, ['organization_id']],
      [422, ['request_type_id']],
      [422, ['reason']],
    ])
  })

  it('refuses a second offer and one of a closed issue', async () => {
    const closed = await app.create.issue({ request_type: potholes, status: 'Closed' })
    await offer()

    const [again, late] = [await offer(), await offer({}, closed)]

    expect([again.status, again.body, late.status, late.body]).toEqual([
      422,
      { base: 'The issue is offered to an organisation already: wait for its answer.' },
      422,
      { base: 'This issue is Closed: only an issue that is Open or Acknowledged can be offered.' },
    ])
  })

  it('makes an offer of PUT /issues/:id/type with a type of another organisation', async () => {
    const answer = await app.as.user(ada as TestUser).send('PUT', `/api/v2/issues/${issue}/type`, {
      body: { request_type_id: trees },
      headers: { 'if-match': '*' },
    })

    expect(answer).toMatchObject({
      status: 202,
      body: { to: { id: parks }, request_type_id: trees, reason: null, state: 'offered' },
    })
    expect((await work(ada)).request_type_id).toBe(potholes)
  })
})

describe('POST /transfers/:id/accept', () => {
  it('gives the issue a type of the receiver and no assignee, starts its target again, and ends the access of the sender', async () => {
    await app.db.prisma.targetRule.create({ data: { organization_id: parks, acknowledge_hours: 24, close_hours: 72 } })
    const { id } = await offered()

    const answer = await post(pat, `/transfers/${id}/accept`, { request_type_id: trees }, '"2"')

    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'accepted', answered_by: { name: 'Pat Stone' }, request_type_id: trees },
    })
    expect(await work(pat)).toMatchObject({
      version: 3,
      request_type_id: trees,
      assignee: null,
      transfer: null,
      log: [
        {
          kind: 'transfer',
          version: 3,
          organization: 'Parks',
          before: { request_type_id: potholes },
          after: { state: 'accepted' },
          is_public: true,
        },
        { kind: 'transfer', version: 2 },
      ],
    })
    const target = await app.db.prisma.issueTarget.findUniqueOrThrow({ where: { issue_id: issue } })
    expect(target.close_by?.getTime()).toBe(target.started_at.getTime() + 72 * 3_600_000)
    expect(target.started_at.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect((await app.as.user(ada as TestUser).get(`/issues/${issue}/work`)).status).toBe(403)
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ request_type: { id: trees } })
  })

  it('takes one of two answers, and no type of another organisation', async () => {
    const { id } = await offered()

    const wrong = await post(pat, `/transfers/${id}/accept`, { request_type_id: potholes })
    const answers = await Promise.all([
      post(pat, `/transfers/${id}/accept`, { request_type_id: trees }),
      post(pat, `/transfers/${id}/refuse`, { refusal: 'It is not ours.' }),
    ])

    expect(wrong).toMatchObject({
      status: 422,
      body: { request_type_id: 'is not the id of a type that the receiving organisation uses' },
    })
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  it('names no change of staff of the sender to the receiver of an old version', async () => {
    const { id } = await offered()
    await app.as
      .user(ada as TestUser)
      .send('PUT', `/api/v2/issues/${issue}/priority`, { body: { priority: 3 }, headers: { 'if-match': '*' } })

    const answer = await post(pat, `/transfers/${id}/accept`, { request_type_id: trees }, '"2"')

    expect(answer).toMatchObject({ status: 412, body: { version: 3, changes: [] } })
  })
})

describe('POST /transfers/:id/refuse', () => {
  it('leaves the issue with the sender, with the refusal in the log', async () => {
    const { id } = await offered()

    const answer = await post(pat, `/transfers/${id}/refuse`, { refusal: 'The county owns it.' })

    expect(answer).toMatchObject({ status: 200, body: { state: 'refused', refusal: 'The county owns it.' } })
    expect(await work(ada)).toMatchObject({
      request_type_id: potholes,
      assignee: { name: 'Ada Park' },
      transfer: null,
      log: [{ organization: 'Parks', after: { state: 'refused', refusal: 'The county owns it.' }, is_public: false }, {}],
    })
    expect(await list(pat, parks)).toEqual([])
  })
})

describe('POST /transfers/:id/withdraw', () => {
  it('takes the offer back, with the log, and the receiver no longer sees it', async () => {
    const { id } = await offered()

    const answer = await post(ada, `/transfers/${id}/withdraw`, {}, '"2"')

    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'withdrawn', answered_by: { name: 'Ada Park' }, issue: { version: 3 } },
    })
    expect(await work(ada)).toMatchObject({
      version: 3,
      request_type_id: potholes,
      assignee: { name: 'Ada Park' },
      transfer: null,
      log: [{ kind: 'transfer', version: 3, organization: 'Roads', after: { state: 'withdrawn' }, is_public: false }, {}],
    })
    expect([await list(pat, parks), await list(ada, roads), (await offer()).status]).toEqual([[], [], 201])
  })

  it('is for the sender only, and comes too late after an answer', async () => {
    const { id } = await offered()

    const answers = [
      await post(pat, `/transfers/${id}/withdraw`, {}),
      await post(await app.create.user(), `/transfers/${id}/withdraw`, {}),
      await post(pat, `/transfers/${id}/accept`, { request_type_id: trees }),
      await post(ada, `/transfers/${id}/withdraw`, {}),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 404, 200, 422])
    expect((await work(pat)).request_type_id).toBe(trees)
  })

  it('is refused for a sender that did not see the answer, and shows nothing of it', async () => {
    const { id } = await offered()
    await post(pat, `/transfers/${id}/accept`, { request_type_id: trees }, '"2"')

    const late = await post(ada, `/transfers/${id}/withdraw`, {}, '"2"')

    expect(late).toMatchObject({ status: 412, body: { version: 3, changes: [] } })
  })

  it('comes first, and the receiver cannot accept', async () => {
    const { id } = await offered()
    await post(ada, `/transfers/${id}/withdraw`, {})

    const answer = await post(pat, `/transfers/${id}/accept`, { request_type_id: trees })

    expect([answer.status, (await work(ada)).request_type_id]).toEqual([422, potholes])
  })

  it('and an acceptance at the same time have one winner', async () => {
    const { id } = await offered()

    const answers = await Promise.all([
      post(ada, `/transfers/${id}/withdraw`, {}),
      post(pat, `/transfers/${id}/accept`, { request_type_id: trees }),
    ])

    const { state } = await app.db.prisma.issueTransfer.findUniqueOrThrow({ where: { id } })
    const { request_type_id } = await app.db.prisma.issue.findUniqueOrThrow({ where: { id: issue } })
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect([state, request_type_id]).toEqual(answers[0].status === 200 ? ['withdrawn', potholes] : ['accepted', trees])
  })
})

describe('the end of an offer', () => {
  it.each([
    ['closed', 'close'],
    ['closed and reopened', 'close', 'open'],
  ])('comes when the issue is %s', async (_, ...steps) => {
    const { id } = await offered()
    for (const step of steps) await post(ada, `/issues/${issue}/${step}`, { comment: `We ${step} it.`, outcome: 'fixed' })

    const answer = await post(pat, `/transfers/${id}/accept`, { request_type_id: trees })

    expect([answer.status, await list(pat, parks), (await work(ada)).transfer]).toEqual([422, [], null])
  })

  it('comes when the issue gets another type, and another offer is possible', async () => {
    const { id } = await offered()
    await app.as
      .user(ada as TestUser)
      .send('PUT', `/api/v2/issues/${issue}/type`, { body: { request_type_id: 'other' }, headers: { 'if-match': '*' } })

    const [answer, again] = [await post(pat, `/transfers/${id}/accept`, { request_type_id: trees }), await offer()]

    expect([answer.status, again.status, (again.body as Transfer).from]).toEqual([422, 201, { id: roads, name: 'Roads' }])
  })

  it('does not come when the issue is acknowledged', async () => {
    await offered()

    await post(ada, `/issues/${issue}/acknowledge`, { comment: 'We look at it.' })

    expect(await list(pat, parks)).toMatchObject([{ state: 'offered', issue: { status: 'Acknowledged' } }])
  })
})
