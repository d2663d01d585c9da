import { beforeEach, describe, expect, it } from 'vitest'

import { runBulk } from '../../jobs/handlers/batch-jobs.ts'
import type { BulkRun } from '../../src/staff/bulk/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let type = 0
let ids: number[] = []
let ada: TestUser | undefined

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  ids = await Promise.all([1, 2, 3].map(() => app.create.issue({ request_type: type })))
  ids.sort((a, b) => a - b)
})

const post = async (path: string, body: object = {}, user = ada) =>
  app.as.user(user as TestUser).send('POST', `/api/v2/bulk${path}`, { body })
const preview = async (change: object, of = ids) => (await post('', { ids: of, change })).body as BulkRun
const read = async (id: number) => (await app.as.user(ada as TestUser).get(`/bulk/${id}`)).body as BulkRun
const work = () => runBulk({}, { db: app.db, clock: () => new Date() })
async function run(change: object, of = ids): Promise<BulkRun> {
  const { id, hash } = await preview(change, of)
  await post(`/${id}/run`, { hash })
  await work()
  return read(id)
}

describe('POST /bulk with ids', () => {
  it('returns 422 for ids of no issue and of issues that the caller may not read, and names them', async () => {
    const held = await app.create.issue({ request_type: type, moderation_state: 'held' })

    const answer = await post('', { ids: [...ids, held, 999_999], change: { priority: 3 } })

    expect([answer.status, answer.body]).toEqual([422, { ids: `contains unknown values: ${held}, 999999` }])
    expect(await app.db.prisma.bulkRun.count()).toBe(0)
  })
})

describe('POST /bulk with an answer', () => {
  it('returns 422 for a text that would be held as the answer to one issue', async () => {
    const change = { transition: 'acknowledge', comment: 'You asshole' }
    const links = 'See https://a.example, https://b.example and https://c.example'
    const closing = { transition: 'close', comment: 'Theirs.', outcome: 'passed_on', passed_on_to: 'The assholes' }

    const answers = [await post('', { ids, change }), await post('', { ids, change: { ...change, comment: links } })]
    const passed = await post('', { ids, change: closing })

    for (const { status, body } of [...answers, passed])
      expect([status, body]).toEqual([422, { comment: expect.stringContaining('needs a review') as string }])
    expect(await app.db.prisma.bulkRun.count()).toBe(0)
  })
})

describe('POST /bulk of closings', () => {
  const histories = () =>
    app.db.prisma.statusChange.findMany({
      where: { to_status: 'Closed' },
      orderBy: { issue_id: 'asc' },
      select: { outcome: true, passed_on_to: true, duplicate_of_id: true },
    })

  it('closes as passed on and says to whom', async () => {
    const { state } = await run({ transition: 'close', comment: 'Theirs.', outcome: 'passed_on', passed_on_to: 'The county' })

    expect(state).toBe('done')
    expect(await histories()).toEqual(ids.map(() => ({ outcome: 'passed_on', passed_on_to: 'The county', duplicate_of_id: null })))
  })

  it('closes as duplicates of an issue, which itself is refused', async () => {
    const [original, ...copies] = ids as [number, ...number[]]

    const { refused } = await run({ transition: 'close', comment: 'Twice.', outcome: 'duplicate', duplicate_of: `#${original}` })

    expect(refused).toEqual([{ id: original, why: 'must be the number of another public issue' }])
    expect(await histories()).toEqual(copies.map(() => ({ outcome: 'duplicate', passed_on_to: null, duplicate_of_id: original })))
  })
})
