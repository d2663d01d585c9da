import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

describe('GET /questions/:id', () => {
  it.each(['0', '-1', 'abc', '1.5', '4294967297', '99999'])('returns 404 for %s', async (id) => {
    expect(await app.as.anonymous.get(`/questions/${id}`)).toMatchObject({
      status: 404,
      body: { message: expect.any(String) as string },
    })
  })

  it('returns no asker if the account was deleted', async () => {
    const ada = await app.create.user()
    const id = await app.create.question({ place: (await app.create.place()).id, by: ada })

    await app.db.execute(sql`DELETE FROM users u WHERE u.id = ${ada.id} RETURNING u.id`)

    expect((await app.as.anonymous.get(`/questions/${id}`)).body).toMatchObject({ asker: { id: 0, name: 'An anonymous user' } })
  })

  it('returns 304 until an answer, a vote or an acceptance changes it', async () => {
    const ada = await app.create.user()
    const id = await app.create.question({ place: (await app.create.place()).id, by: ada })
    const tags: unknown[] = []
    const note = async () => tags.push((await app.as.anonymous.get(`/questions/${id}`)).headers['etag'])
    await note()
    const same = await app.as.anonymous.get(`/questions/${id}`, { 'if-none-match': String(tags[0]) })

    const answer = await app.create.answer({ on: id })
    await note()
    await app.as.user(ada).send('POST', `/api/v2/answers/${answer}/vote`)
    await note()
    await app.as.user(ada).send('PUT', `/api/v2/answers/${answer}/accept`)
    await note()

    expect(same).toMatchObject({ status: 304, text: '' })
    expect(new Set(tags).size).toBe(4)
  })

  it('returns Last-Modified once it is a minute old, but not for a pending question', async () => {
    const ada = await app.create.user()
    const { id: of } = await app.create.place()
    const [visible, pending] = [
      await app.create.question({ place: of }),
      await app.create.question({ place: of, by: ada, moderation_state: 'held' }),
    ]
    await backdateChanges(app.db, "now() - interval '61 seconds'")

    const answer = await app.as.anonymous.get(`/questions/${visible}`)

    expect(answer.headers['last-modified']).toMatch(/ GMT$/)
    expect(answer.headers['vary']).toContain('Authorization')
    const since = { 'if-modified-since': String(answer.headers['last-modified']) }
    expect((await app.as.anonymous.get(`/questions/${visible}`, since)).status).toBe(304)
    await app.create.answer({ on: visible })
    expect((await app.as.anonymous.get(`/questions/${visible}`, since)).status).toBe(200)
    expect((await app.as.user(ada).get(`/questions/${pending}`)).headers).not.toHaveProperty('last-modified')
  })
})
