import { beforeEach, describe, expect, it } from 'vitest'

import { PUBLIC_URL, useApp } from '../../helpers/use-app.ts'
import { createReader, linkOf, V2 } from '../reader.ts'
import { createStreets, type Streets } from '../streets.ts'
import { createWriter, picture } from '../writer.ts'

const app = useApp()
const { ask } = createReader(app)
const { postMultipart } = createWriter(() => app.as.anonymous)

let streets: Streets
beforeEach(async () => {
  streets = await createStreets(app)
})

describe('GET servicerequestupdates', () => {
  const day = (date: number, hour = 12) => new Date(Date.UTC(2026, 9, date, hour)).toISOString()

  it('returns the public comments and changes of a period but no archiving, oldest first, the same for all callers', async () => {
    const [issue, held] = [
      await streets.createIssue({ status: 'Archived' }),
      await streets.createIssue({ moderation_state: 'held' }),
    ]
    const first = await app.create.comment({ on: issue, by: streets.employee, comment: 'Seen.', created_at: day(2) })
    const second = await app.create.comment({ on: issue, comment: 'Fixed.', created_at: day(3) })
    await app.create.comment({ on: issue, comment: 'Later.', created_at: day(20) })
    await app.create.comment({ on: issue, comment: 'Hidden.', moderation_state: 'held', created_at: day(3) })
    await app.create.comment({ on: held, comment: 'Of a hidden issue.', created_at: day(3) })
    const change = { issue_id: issue, from_status: 'Open' as const }
    await app.db.prisma.statusChange.create({ data: { ...change, to_status: 'Closed', comment_id: second, created_at: day(3) } })
    const { id } = await app.db.prisma.statusChange.create({
      data: { ...change, from_status: 'Closed', to_status: 'Open', created_at: day(4) },
    })
    await app.db.prisma.statusChange.create({
      data: { ...change, from_status: 'Closed', to_status: 'Archived', created_at: day(10) },
    })

    const query = `?start_date=${day(1)}&end_date=${day(11)}`
    const { status, body } = await ask(`/servicerequestupdates.json${query}`)

    const common = { service_request_id: String(issue), media_url: null }
    expect([status, body]).toEqual([
      200,
      [
        {
          ...common,
          update_id: String(first),
          status: 'OPEN',
          external_status_code: 'Open',
          updated_datetime: '2026-10-02T12:00:00Z',
          description: 'Seen.',
        },
        {
          ...common,
          update_id: String(second),
          status: 'CLOSED',
          external_status_code: 'Closed',
          updated_datetime: '2026-10-03T12:00:00Z',
          description: 'Fixed.',
        },
        {
          ...common,
          update_id: `change-${id}`,
          status: 'OPEN',
          external_status_code: 'Open',
          updated_datetime: '2026-10-04T12:00:00Z',
          description: 'The report is open again.',
        },
      ],
    ])
    const asEmployee = await app.as.user(streets.employee).send('GET', `${V2}/servicerequestupdates.json${query}`)
    expect(asEmployee.body).toEqual(body)
    expect(
      (
        await ask(`/servicerequestupdates.json${query}`, {
          'if-none-match': String((await ask(`/servicerequestupdates.json${query}`)).headers['etag']),
        })
      ).status,
    ).toBe(304)
  })

  it('shows written updates under the id that the sender got', async () => {
    const issue = await streets.createIssue()
    const written = await postMultipart(
      '/servicerequestupdates.json',
      [
        ...Object.entries({ update_id: 'u1', service_request_id: String(issue), status: 'closed', description: 'Fixed.' }),
        ['media', picture()],
      ],
      { by: streets.employee },
    )

    const [shown] = (await ask('/servicerequestupdates.json')).body as [{ update_id: string; media_url: string }]

    expect(written.body).toEqual([{ update_id: shown.update_id }])
    expect(shown.media_url).toMatch(new RegExp(`^${PUBLIC_URL}/files/`))
  })

  it('cuts texts at 4,000 characters like those of requests, and has up to 1,000 updates on a page by default', async () => {
    const issue = await streets.createIssue()
    await app.create.comment({ on: issue, comment: '🕳'.repeat(10_000), created_at: new Date(Date.now() - 60_000).toISOString() })
    for (let n = 1; n <= 100; n++) await app.create.comment({ on: issue, comment: `No. ${n}` })
    await app.db.prisma.comment.updateMany({ where: { comment: { startsWith: 'No.' } }, data: { created_at: new Date() } })

    const { body, headers } = await ask('/servicerequestupdates.json')

    const descriptions = (body as { description: string }[]).map(({ description }) => description)
    expect(descriptions[0]).toBe(`${'🕳'.repeat(3_999)}…`)
    expect([descriptions.length, descriptions.at(-1)]).toEqual([101, 'No. 100'])
    expect(linkOf(headers['link'], 'next')).toBeUndefined()
    expect((await ask('/servicerequestupdates.json?page_size=100')).body).toHaveLength(100)
  })

  it('pages, and returns the updates of one organisation', async () => {
    const [issue, other] = [await streets.createIssue(), await app.create.issue()]
    const ids = []
    for (let n = 1; n <= 3; n++)
      ids.push(
        String(
          await app.create.comment({
            on: issue,
            comment: `No. ${n}`,
            created_at: new Date(Date.now() - 1_000 * (10 - n)).toISOString(),
          }),
        ),
      )
    await app.create.comment({ on: other, created_at: new Date().toISOString() })

    const path = `/${streets.organization}/servicerequestupdates.json?page_size=2`
    const [first, second] = [await ask(path), await ask(`${path}&page=2`)]

    const idsOf = (body: unknown) => (body as { update_id: string }[]).map(({ update_id }) => update_id)
    expect([idsOf(first.body), idsOf(second.body)]).toEqual([ids.slice(0, 2), ids.slice(2)])
    expect(linkOf(first.headers['link'], 'next')).toBe(
      `${V2}/${streets.organization}/servicerequestupdates.json?page=2&page_size=2`,
    )
    expect(linkOf(second.headers['link'], 'next')).toBeUndefined()
    expect((await ask('/servicerequestupdates.json?page_size=1001')).status).toBe(400)
    expect((await ask('/servicerequestupdates.json?start_date=2026-01-01&end_date=2026-06-01')).status).toBe(400)
  })
})
