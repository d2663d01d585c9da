import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
let ada: TestUser

beforeEach(async () => {
  ada = await app.create.user()
})

const report = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Broken bench' } }
const send = (body: unknown, key: string) =>
  app.as.user(ada).send('POST', '/api/v2/issues', { body, headers: { 'idempotency-key': key } })
const isReplayed = ({ headers }: Awaited<ReturnType<typeof send>>) => headers['idempotency-replayed'] === 'true'

async function countRows() {
  const [counts] = await queryRows(
    app.db,
    sql`
    SELECT (SELECT count(*) FROM issues) AS issues, (SELECT count(*) FROM follows) AS follows,
      (SELECT count(*) FROM media) AS media, (SELECT count(*) FROM events e WHERE e.type LIKE 'issue.%') AS events,
      (SELECT u.civic_points FROM users u WHERE u.id = ${ada.id}) AS points`,
  )
  return counts
}
const ONE = { issues: 1, follows: 1, media: 0, events: 1, points: 10 }

async function withImage(background: string) {
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer()
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...GREEN, address: '250 Church St', request_type_id: 'other' }))
    form.append(name, String(value))
  form.append('answers[summary]', 'Broken bench')
  form.append('answers[issue_image]', new Blob([new Uint8Array(image)]), 'bench.png')
  return form
}

describe('POST /issues with a repeated Idempotency-Key', () => {
  it('creates one issue for a hundred concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(report, 'walk')))

    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter((answer) => !isReplayed(answer))).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    expect(await countRows()).toEqual(ONE)
  })

  it('repeats the same response, and returns 422 for another body', async () => {
    const first = await send(report, 'walk')

    const again = await send(report, 'walk')
    const other = await send({ ...report, answers: { summary: 'Broken lamp' } }, 'walk')

    expect([isReplayed(first), isReplayed(again)]).toEqual([false, true])
    expect([again.status, again.text, again.headers['location']]).toEqual([201, first.text, first.headers['location']])
    expect(other).toMatchObject({
      status: 422,
      body: {
        errors: { 'Idempotency-Key': ['was used for a request with other content: every new request needs a new key'] },
      },
    })
    expect(await countRows()).toEqual(ONE)
  })

  it('stores the picture once, and rejects another picture as a different request', async () => {
    const [first, again] = [await send(await withImage('red'), 'walk'), await send(await withImage('red'), 'walk')]
    const other = await send(await withImage('blue'), 'walk')

    expect([first.status, again.status, other.status]).toEqual([201, 201, 422])
    expect(again.text).toBe(first.text)
    expect(await countRows()).toEqual({ ...ONE, media: 1 })
  })

  it('creates one pending issue', async () => {
    const links = { ...report, answers: { summary: 'See', description: 'http://a.example '.repeat(20) } }
    const [first, again] = [await send(links, 'walk'), await send(links, 'walk')]

    expect([first.status, first.text]).toEqual([202, '{"metadata":{"moderated":true}}'])
    expect([again.status, again.text, isReplayed(again)]).toEqual([202, first.text, true])
    expect(await countRows()).toMatchObject({ issues: 1, events: 1 })
  })

  it('repeats the same errors, and accepts the corrected report under a new key', async () => {
    const [first, again] = [await send({ ...report, address: '' }, 'walk'), await send({ ...report, address: '' }, 'walk')]

    expect([first.status, isReplayed(first)]).toEqual([422, false])
    expect([again.status, again.text, isReplayed(again)]).toEqual([422, first.text, true])
    expect((await send(report, 'corrected')).status).toBe(201)
    expect(await countRows()).toEqual(ONE)
  })

  it('returns the stored response if the process crashed before it responded', async () => {
    const first = await send(report, 'walk')
    await app.db.execute(sql`
      UPDATE idempotency_keys SET status = NULL, headers = NULL, body = NULL, leased_until = now() - interval '1 second'`)

    const again = await send(report, 'walk')

    expect([again.status, again.text, again.headers['location']]).toEqual([201, first.text, first.headers['location']])
    expect(await countRows()).toEqual(ONE)
  })
})
