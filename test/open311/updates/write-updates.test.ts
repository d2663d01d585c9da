import { beforeEach, describe, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'
import { createPersonaRows, mapPersonas, personas } from '../../contract/personas/persona-rows.ts'
import { readXml } from '../reader.ts'
import { findViolations } from '../schemas.ts'
import { createStreets, type Streets } from '../streets.ts'
import { createWriter, picture } from '../writer.ts'

const app = useApp()
const { post, postMultipart } = createWriter(() => app.as.anonymous)

let streets: Streets
beforeEach(async () => {
  streets = await createStreets(app)
})
const statusOf = async (id: number) => (await app.db.prisma.issue.findUniqueOrThrow({ where: { id } })).status
const commentsOf = async (issue_id: number) =>
  (await app.db.prisma.comment.findMany({ where: { issue_id }, orderBy: { id: 'asc' } })).map(({ comment }) => comment)
const update = (issue: number, fields: Record<string, string> = {}) => ({
  update_id: 'u1',
  service_request_id: String(issue),
  ...fields,
})

describe('POST requests/:id', () => {
  it('adds a comment, a picture or both', async () => {
    const ada = await app.create.user()
    const issue = await streets.createIssue()

    const comment = await post(`/requests/${issue}.json`, { description: 'Still there.' }, { by: ada })
    const both = await postMultipart(
      `/requests/${issue}`,
      [
        ['description', 'Look'],
        ['media', picture()],
      ],
      { by: ada },
    )
    const alone = await postMultipart(`/${streets.organization}/requests/${issue}.json`, [['media', picture()]], { by: ada })

    const answer = [{ service_request_id: String(issue), service_notice: null, account_id: null }]
    expect([comment, both, alone].map(({ status, body }) => [status, body])).toEqual([
      [200, answer],
      [200, answer],
      [200, answer],
    ])
    expect(await commentsOf(issue)).toEqual(['Still there.', 'Look', 'A picture was added.'])
    expect(await app.db.prisma.medium.count({ where: { comment_id: { not: null } } })).toBe(2)
  })

  it('is open to everyone with a key', async () => {
    const { people, anonymousIssue } = await createPersonaRows(app)

    const statuses: Record<string, number> = {}
    for (const persona of personas) {
      const by = persona === 'anonymous' ? {} : { by: people[persona] }
      const fields = { description: `Seen by ${persona}.` }
      statuses[persona] = (await post(`/requests/${anonymousIssue}.json`, fields, by)).status
    }

    expect(statuses).toEqual({ ...mapPersonas(() => 200), anonymous: 403 })
  })

  it('says in XML that a comment waits for approval', async () => {
    const ada = await app.create.user()
    await app.db.prisma.organization.update({ where: { id: streets.organization }, data: { hold_everything: true } })
    const issue = await streets.createIssue()

    const { status, text } = await post(`/requests/${issue}.xml`, { description: 'Still there.' }, { by: ada })

    expect([status, readXml(text).content]).toEqual([
      201,
      [
        {
          service_request_id: String(issue),
          service_notice: 'The comment is published once a moderator has approved it.',
          account_id: '',
        },
      ],
    ])
  })

  it.each([
    ['without a text and a picture', {}, 400, 'description: must not be blank'],
    ['with an invisible text', { description: '\u200B' }, 400, 'description: must not be blank'],
    [
      'with a link to a picture',
      { description: 'x', media_url: 'https://example.org/1.jpg' },
      400,
      'media_url: is not fetched: send the picture as media in a multipart/form-data request',
    ],
  ])('refuses a comment %s', async (_, fields, code, description) => {
    const issue = await streets.createIssue()

    const { status, body } = await post(`/requests/${issue}.json`, fields, { by: streets.employee })

    expect([status, body]).toEqual([code, [{ code, description }]])
  })

  it('is 404 for requests that are not public or of another organisation', async () => {
    const other = await app.create.organization({ name: 'Parks' })
    const [held, open] = [
      await streets.createIssue({ moderation_state: 'held', reporter: streets.employee }),
      await streets.createIssue(),
    ]
    const statuses = []
    for (const path of [`/requests/${held}`, '/requests/999', '/requests/x', `/${other}/requests/${open}`])
      statuses.push((await post(path, { description: 'x' }, { by: streets.employee })).status)

    expect(statuses).toEqual([404, 404, 404, 404])
  })
})

describe('POST servicerequestupdates', () => {
  it.each([
    ['Open', 'INVESTIGATING', 'Acknowledged'],
    ['Open', 'in progress', 'Acknowledged'],
    ['Open', 'OPEN', 'Open'],
    ['Open', 'Fixed - Council', 'Closed'],
    ['Acknowledged', 'CLOSED', 'Closed'],
    ['Acknowledged', 'open', 'Acknowledged'],
    ['Closed', 'OPEN', 'Open'],
    ['Closed', 'no_further_action', 'Closed'],
    ['Open', 'archived', 'Closed'],
    ['Archived', 'closed', 'Archived'],
  ] as const)('moves an issue that is %s by %s to %s', async (before, status, after) => {
    const issue = await streets.createIssue({ status: before })

    const response = await post('/servicerequestupdates.json', update(issue, { status, description: 'Done.' }), {
      by: streets.employee,
    })

    expect(response.status).toBe(200)
    expect(findViolations('service_request_updates_created', response.body)).toEqual([])
    expect([await statusOf(issue), await commentsOf(issue)]).toEqual([after, ['Done.']])
  })

  it.each([
    ['Closed', 'investigating', 'This issue is Closed: only an issue that is Open can be acknowledged.'],
    ['Archived', 'open', 'This issue is archived: its status cannot change any more.'],
  ] as const)('refuses to move an issue that is %s by %s', async (before, status, description) => {
    const issue = await streets.createIssue({ status: before })

    const response = await post('/servicerequestupdates.json', update(issue, { status }), { by: streets.employee })

    expect([response.status, response.body]).toEqual([400, [{ code: 400, description }]])
    expect(await commentsOf(issue)).toEqual([])
  })

  it('writes an update once, also if it comes several times at once', async () => {
    const issue = await streets.createIssue()
    const fields = update(issue, { status: 'closed', description: 'Fixed.' })

    const send = (more = {}) => post('/servicerequestupdates.json', { ...fields, ...more }, { by: streets.employee })
    const answers = await Promise.all(Array.from({ length: 6 }, () => send()))
    const again = await send({ description: 'Other' })

    for (const { body } of [...answers, again]) expect(body).toEqual(answers[0]?.body)
    expect(await commentsOf(issue)).toEqual(['Fixed.'])
  })

  it('is 201 for a repeated update whose text is not public, also after its rejection', async () => {
    const issue = await streets.createIssue()
    const send = () => post('/servicerequestupdates.json', update(issue, { description: 'Fixed.' }), { by: streets.employee })
    const first = await send()

    const answers = []
    for (const moderation_state of ['held', 'rejected', 'passed'] as const) {
      await app.db.prisma.comment.updateMany({ data: { moderation_state } })
      answers.push(await send())
    }

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200])
    for (const { body } of answers) expect(body).toEqual(first.body)
  })

  it('publishes the same text each time, because senders have standard comments', async () => {
    const issue = await streets.createIssue()

    const statuses = []
    for (const update_id of ['1', '2', '3', '4']) {
      const fields = { ...update(issue), update_id, description: 'The report is closed.' }
      statuses.push((await post('/servicerequestupdates.json', fields, { by: streets.employee })).status)
    }
    const comment = await post(`/requests/${issue}.json`, { description: 'The report is closed.' }, { by: streets.employee })

    expect([...statuses, comment.status]).toEqual([200, 200, 200, 200, 201])
  })

  it('writes a standard comment for an empty text, in the language of the issue', async () => {
    const [english, spanish, same] = [
      await streets.createIssue(),
      await streets.createIssue({ locale: 'es' }),
      await streets.createIssue(),
    ]

    await post('/servicerequestupdates.json', update(english, { status: 'closed' }), { by: streets.employee })
    await post('/servicerequestupdates.json', update(spanish, { status: 'investigating', description: ' ' }), {
      by: streets.employee,
    })
    await post('/servicerequestupdates.json', update(same, { status: 'open' }), { by: streets.employee })

    expect([...(await commentsOf(english)), ...(await commentsOf(spanish)), ...(await commentsOf(same))]).toEqual([
      'The organisation has closed the report.',
      'La organización se ocupa de esto.',
      'The organisation has updated the report.',
    ])
  })

  it.each([
    ['without an id', { update_id: '' }, 'update_id: must not be blank'],
    ['without a request', { service_request_id: '' }, 'service_request_id: must not be blank'],
    ['with an unknown state', { status: 'gone' }, /^status: must be one of open, reopened/],
    ['with a wrong time', { updated_datetime: 'yesterday' }, /^updated_datetime: must be /],
  ])('refuses an update %s', async (_, fields, description) => {
    const issue = await streets.createIssue()

    const { status, body } = await post('/servicerequestupdates.json', { ...update(issue), ...fields }, { by: streets.employee })

    expect(status).toBe(400)
    expect(body).toEqual([{ code: 400, description: expect.stringMatching(description) as string }])
  })

  it('belongs to employees of the organisation', async () => {
    const { people, anonymousIssue } = await createPersonaRows(app)

    const statuses: Record<string, number> = {}
    for (const persona of personas) {
      const by = persona === 'anonymous' ? {} : { by: people[persona] }
      const fields = { update_id: persona, service_request_id: String(anonymousIssue), description: 'Seen.' }
      statuses[persona] = (await post('/servicerequestupdates.xml', fields, by)).status
    }

    expect(statuses).toEqual({ anonymous: 403, other: 403, owner: 403, elsewhere: 403, moderator: 403, employee: 200, admin: 200 })
  })
})
