import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { report, createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const {
  moderator,
  createPendingReport,
  createPendingComment,
  runModerateJobs,
  findOpenItem,
  items,
  approve,
  reject,
  events,
  points,
} = createModerationScenario(app)

const notes = async (as: TestUser) => (await items(as)).map(({ note }) => note)
const newOne = (summary: string, more: object = {}) => report({ answers: { summary }, ...more })
const send = (by: TestUser, body: object) => app.as.user(by).send('POST', '/api/v2/issues', { body })
const entries = async () =>
  ((await app.as.anonymous.get('/issues')).body as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries

describe('automatic check of blocked words', () => {
  it('approves a word in the name of a nearby street, with all effects and without a moderator', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.create.issue({ address: '14 Dick Street, New Haven' })
    const issue = await createPendingReport(ada, newOne('Lamp out', { address: '20 Dick Street' }))

    await runModerateJobs()

    expect(await items(mia)).toEqual([])
    expect(await items(mia, '?state=approved')).toMatchObject([
      {
        decided_by: null,
        decided_at: '2031-02-03T04:05:06Z',
        note: 'The blocked words are part of names near this place: dick street.',
      },
    ])
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ created_at: '2031-02-03T04:05:06Z' })
    expect([await events(), await points(ada)]).toEqual([['issue.held', 'issue.reported'], 10])
    const item = (await items(mia, '?state=approved'))[0]?.id ?? 0
    expect(await approve(mia, item)).toMatchObject({
      status: 422,
      body: { base: 'This was already approved by the automatic checks.' },
    })
  })

  it.each([
    ['no public address names the street', '20 Dick Street', 'Lamp out', {}],
    ['the street is far away', '20 Dick Street', 'Lamp out', { at: { lng: GREEN.lng, lat: GREEN.lat + 0.1 } }],
    ['the word occurs elsewhere, too', '20 Dick Street', 'You dick', { address: '14 Dick Street' }],
    ['it begins another sentence', '1 Main St', 'Tell the dick. Street is dark', { address: '14 Dick Street' }],
    ['only stop words match the name', '1 Main St', 'See the dick', { address: 'the Dick' }],
    ['the address is not public', '20 Dick Street', 'Lamp out', { address: '14 Dick Street', moderation_state: 'held' as const }],
  ])('does not approve it if %s', async (_, address, summary, near) => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.create.issue({ address: '14 Dick Street', ...('at' in near || 'address' in near ? {} : { address: 'x' }), ...near })
    await createPendingReport(ada, newOne(summary, { address }))

    await runModerateJobs()

    const [note] = await notes(mia)
    expect(note).toMatch(/^Blocked words that are not part of a name near this place: dick/i)
  })

  it('ignores addresses that only the author wrote', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.create.issue({ reporter: ada, address: '14 Dick Street' })
    await createPendingReport(ada, newOne('Lamp out', { address: '20 Dick Street' }))

    await runModerateJobs()

    expect(await items(mia)).toHaveLength(1)
  })

  it('approves a word in the name of a surrounding place, across stop words, and in comments', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.create.place({ name: 'Colline de la Pute', boundary: square(GREEN) })
    const issue = await app.create.issue()
    await app.db.execute(sql`UPDATE users u SET locale = 'fr' WHERE u.id = ${ada.id} RETURNING u.id`)
    await createPendingComment(ada, issue, { comment: 'Vu depuis la colline de la pute' })

    await runModerateJobs()

    expect([await items(mia), await events()]).toEqual([[], ['comment.held', 'comment.added']])
  })
})

describe('automatic check of repeated texts', () => {
  const lamp = (metres: number) => newOne('Lamp broken', { lat: GREEN.lat + metres / 111_195, lng: GREEN.lng })

  it('approves identical reports about different points, such as every broken lamp of a street', async () => {
    const ada = await app.create.user()
    for (const metres of [0, 60]) expect((await send(ada, lamp(metres))).status).toBe(201)
    await createPendingReport(ada, lamp(120))
    await createPendingReport(ada, lamp(180))

    await runModerateJobs()

    expect(await entries()).toBe(4)
  })

  it('does not approve them if two are about one point', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    for (const metres of [0, 60]) await send(ada, lamp(metres))
    await createPendingReport(ada, lamp(100))

    await runModerateJobs()

    expect(await notes(mia)).toEqual([
      'The author sent 3 reports with this text within an hour, of which 2 are within 50 metres of another.',
    ])
  })

  it('does not approve them if one was rejected or if there are more than twenty', async () => {
    const [ada, ben, mia] = [await app.create.user(), await app.create.user(), await moderator()]
    for (const metres of [0, 60]) await send(ada, lamp(metres))
    await reject(mia, await findOpenItem('issue', await createPendingReport(ada, lamp(120))))
    await createPendingReport(ada, lamp(180))
    for (const metres of [0, 60]) await send(ben, lamp(metres))
    for (let count = 2; count < 21; count++) await createPendingReport(ben, lamp(count * 60))

    await runModerateJobs()

    expect(new Set(await notes(mia))).toEqual(
      new Set([
        'The author sent 4 reports with this text within an hour, of which 1 were rejected.',
        'The author sent 21 reports with this text within an hour, which is more than 20.',
      ]),
    )
  })

  it('does not approve comments', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    for (const comment of ['Still there', 'Still there'])
      await app.as.user(ada).send('POST', `/api/v2/issues/${issue}/comments`, { body: { comment } })
    await createPendingComment(ada, issue, { comment: 'still there' })

    await runModerateJobs()

    expect(await notes(mia)).toEqual(['The same comment was sent several times within an hour.'])
  })
})

describe('the automatic checks', () => {
  it('approve an item only if all of its reasons are cleared', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.create.issue({ address: '14 Dick Street' })
    await createPendingReport(ada, newOne('See https://example.org', { address: '20 Dick Street' }))

    await runModerateJobs()

    expect(await notes(mia)).toEqual([
      'The blocked words are part of names near this place: dick street. Links to hosts that no moderator has approved yet: example.org.',
    ])
  })

  it('never approve it if the organisation reviews everything or the author marked it as offensive', async () => {
    const [ada, organization] = [await app.create.user(), await app.create.organization()]
    const mia = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    const strict = await app.create.requestType({ organization })
    const question = { built_in: 'offensive', question: 'Is it offensive?', question_type: 'boolean' }
    const asking = await app.create.requestType({ questions: [question] })
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = true WHERE o.id = ${organization} RETURNING o.id`)
    await createPendingReport(ada, newOne('', { request_type_id: strict }))
    await createPendingReport(ada, report({ request_type_id: asking, answers: { offensive: true } }))

    await runModerateJobs()

    expect(await notes(mia)).toEqual(['The organisation reviews everything.', 'The author marked it as offensive.'])
  })

  it('do not change the decision of a faster moderator', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await createPendingReport(ada, newOne('See https://denver.gov'))
    await reject(mia, await findOpenItem('issue', issue))

    await runModerateJobs()

    expect((await app.as.anonymous.get(`/issues/${issue}`)).status).toBe(404)
    expect(await events()).toEqual(['issue.held', 'issue.rejected'])
  })

  it('run once for repeated jobs and queue the following deliveries immediately', async () => {
    const [ada, ben] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue({ reporter: ada })
    await createPendingComment(ben, issue, { comment: 'See https://denver.gov' })

    const queued = await runModerateJobs()
    await runModerateJobs()

    expect(await points(ben)).toBe(5)
    const added = await queryRows(
      app.db,
      sql`
      SELECT e.event_id, e.handler FROM outbox_deliveries e JOIN events v ON v.id = e.event_id WHERE v.type = 'comment.added' ORDER BY e.handler`,
    )
    expect(queued).toEqual(added)
  })
})

it('identical closing comments of an employee are approved, but not those of residents and of employees elsewhere', async () => {
  const organization = await app.create.organization()
  const request_type = await app.create.requestType({ organization })
  const [employee, resident] = [await app.create.user({ memberOf: [{ organization }] }), await app.create.user()]
  const elsewhere = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
  const statusesAfter = async (by: TestUser) => {
    const issues = []
    for (let count = 0; count < 3; count++) issues.push(await app.create.issue({ request_type }))
    for (const id of issues) await app.as.user(by).send('POST', `/api/v2/issues/${id}/close`, { body: { comment: 'Repaired.' } })
    await runModerateJobs()
    return (await app.db.prisma.issue.findMany({ where: { id: { in: issues } }, orderBy: { id: 'asc' } })).map(
      ({ status }) => status,
    )
  }

  expect(await statusesAfter(employee)).toEqual(['Closed', 'Closed', 'Closed'])
  expect(await statusesAfter(resident)).toEqual(['Closed', 'Closed', 'Open'])
  expect(await statusesAfter(elsewhere)).toEqual(['Closed', 'Closed', 'Open'])
})
