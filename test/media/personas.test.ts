import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { hashPassword, hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { addSession } from '../../src/http/identity/session-queries.ts'
import type { Client } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, basic } from '../http/app-on.ts'
import { createPicture } from './stored-pictures.ts'

describe('who may see a picture', () => {
  const app = useApp()

  /** An issue of an organisation with a comment, and everybody who may ask for their pictures. */
  async function givenStory(state: { issue?: 'held' | 'rejected'; comment?: 'held' | 'rejected' } = {}) {
    const { services, create } = app
    const [roads, parks] = [await create.organization({ name: 'Roads' }), await create.organization({ name: 'Parks' })]
    const author = await create.user()
    const commenter = await create.user()
    const issue_id = await create.issue({
      reporter: author,
      request_type: await create.requestType({ organization: roads }),
      moderation_state: state.issue ?? 'passed',
    })
    const comment_id = await create.comment({ on: issue_id, by: commenter, moderation_state: state.comment ?? 'passed' })
    const as = app.as.user
    const clients: Record<string, Client> = {
      nobody: app.as.anonymous,
      author: as(author),
      commenter: as(commenter),
      resident: as(await create.user()),
      employee: as(await create.user({ memberOf: [{ organization: roads }] })),
      'employee elsewhere': as(await create.user({ memberOf: [{ organization: parks }] })),
      moderator: as(await create.user({ memberOf: [{ organization: parks, role: 'moderator' }] })),
      admin: as(await create.user({ role: 'Admin' })),
    }
    const seenBy = async (key: string) => {
      const asked = Object.entries(clients).map(async ([name, client]) => {
        const { status, headers } = await client.send('GET', `/files/${key}`)
        return { name, status, cached: headers['cache-control'] }
      })
      const answers = await Promise.all(asked)
      const cached = [...new Set(answers.map((answer) => `${answer.status} ${String(answer.cached)}`))].sort()
      return { by: answers.filter(({ status }) => status === 200).map(({ name }) => name), cached }
    }
    return { on: { db: app.db, services }, issue_id, comment_id, author, clients, seenBy }
  }

  const everybody = ['nobody', 'author', 'commenter', 'resident', 'employee', 'employee elsewhere', 'moderator', 'admin']
  const forAll = { by: everybody, cached: ['200 public, max-age=31536000, immutable'] }
  const onlyFor = (...by: string[]) => ({ by, cached: ['200 private, no-store', '404 no-store'] })

  test('everybody, of a report, of a comment, and where it answers a question that is not private', async () => {
    const { on, issue_id, comment_id, seenBy } = await givenStory()

    expect(await seenBy((await createPicture(on, { issue_id })).key)).toEqual(forAll)
    expect(await seenBy((await createPicture(on, { issue_id, comment_id })).key)).toEqual(forAll)
    expect(await seenBy((await createPicture(on, { issue_id, is_answer: true })).key)).toEqual(forAll)
  })

  test.each(['held', 'rejected'] as const)('its author and moderators, of a report that is %s', async (issue) => {
    const { on, issue_id, seenBy } = await givenStory({ issue })

    expect(await seenBy((await createPicture(on, { issue_id })).key)).toEqual(onlyFor('author', 'moderator', 'admin'))
  })

  test.each(['held', 'rejected'] as const)('its author and moderators, of a comment that is %s', async (comment) => {
    const { on, issue_id, comment_id, seenBy } = await givenStory({ comment })

    expect(await seenBy((await createPicture(on, { issue_id, comment_id })).key)).toEqual(
      onlyFor('commenter', 'moderator', 'admin'),
    )
  })

  test('moderators, of a comment that passed on a report that is held', async () => {
    const { on, issue_id, comment_id, seenBy } = await givenStory({ issue: 'held' })

    expect(await seenBy((await createPicture(on, { issue_id, comment_id })).key)).toEqual(onlyFor('author', 'moderator', 'admin'))
  })

  test('the staff of the organisation, where it answers a question whose answers are kept private', async () => {
    const { on, issue_id, seenBy } = await givenStory()
    const { key } = await createPicture(on, { issue_id, is_answer: true, answer_kept_private: true })

    expect(await seenBy(key)).toEqual(onlyFor('employee', 'admin'))
  })

  test('those who may see both, where a private answer belongs to a report that is held', async () => {
    const { on, issue_id, seenBy } = await givenStory({ issue: 'held' })
    const { key } = await createPicture(on, { issue_id, is_answer: true, answer_kept_private: true })

    expect(await seenBy(key)).toEqual(onlyFor('admin'))
  })

  test('the same for every size of it', async () => {
    const { on, issue_id, seenBy } = await givenStory({ issue: 'held' })
    const { id } = await createPicture(on, { issue_id })
    const other = [await createPicture(on, { issue_id }), await createPicture(on, { issue_id })]
    const [square, representative] = other.map(({ key }) => key)
    await app.db.execute(sql`DELETE FROM media m WHERE m.id <> ${id} RETURNING m.id`)
    await app.db.execute(
      sql`UPDATE media m SET square_key = ${square}, representative_key = ${representative} WHERE m.id = ${id} RETURNING m.id`,
    )

    expect(await seenBy(square ?? '')).toEqual(onlyFor('author', 'moderator', 'admin'))
    expect(await seenBy(representative ?? '')).toEqual(onlyFor('author', 'moderator', 'admin'))
  })

  test('nobody, where no row names it or its row names a file that is not there', async () => {
    const { on, issue_id, seenBy } = await givenStory()
    const { key, id } = await createPicture(on, { issue_id })
    const nobody = { by: [], cached: ['404 no-store'] }

    await app.db.execute(sql`DELETE FROM media m WHERE m.id = ${id} RETURNING m.id`)
    expect(await seenBy(key)).toEqual(nobody)
    expect(await seenBy(newFileKey('png'))).toEqual(nobody)

    const { key: gone } = await createPicture(on, { issue_id })
    await on.services.files.remove(gone)
    expect(await seenBy(gone)).toEqual(nobody)
  })

  test('what is not to be seen is answered as what is not there', async () => {
    const { on, issue_id, clients } = await givenStory({ issue: 'held' })
    const { key } = await createPicture(on, { issue_id })
    const answerTo = async (path: string, headers: Record<string, string>) => {
      const { status, headers: sent, body } = (await clients['resident']?.send('GET', `/files/${path}`, { headers })) ?? {}
      // A token that is new to the process is counted as a try, whatever is asked for.
      const { 'x-request-id': _, date: __, ratelimit: ___, 'ratelimit-policy': ____, ...same } = sent ?? {}
      return { status, same, body: { ...(body as object), request_id: '' } }
    }

    for (const headers of [{}, { 'if-none-match': '*' }, { range: 'bytes=0-1' }, { authorization: 'Bearer wrong' }]) {
      expect(await answerTo(key, headers as Record<string, string>)).toEqual(
        await answerTo(newFileKey('png'), headers as Record<string, string>),
      )
    }
    expect((await answerTo(key, {})).status).toBe(404)
  })

  test('with Basic and the cookie of our pages as with Bearer, but not in the name of a visitor of another site', async () => {
    const { on, issue_id, author, clients } = await givenStory({ issue: 'held' })
    const { key } = await createPicture(on, { issue_id })
    await app.db.prisma.user.update({ where: { id: author.id }, data: { password_hash: await hashPassword('correct horse') } })
    const get = async (headers: Record<string, string>) =>
      (await clients['nobody']?.send('GET', `/files/${key}`, { headers }))?.status
    const withPassword = basic(author.email, 'correct horse')

    expect(await get(withPassword)).toBe(200)
    expect(await get({ ...withPassword, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await get({ ...withPassword, 'sec-fetch-site': 'cross-site' })).toBe(404)
    const secret = newSecret()
    await addSession(app.db, { id: author.id, credentialsVersion: 1 }, hashToken(secret))
    const cookie = `fixpoint_session=${secret}`
    expect(await get({ cookie })).toBe(200)
    expect(await get({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(404)
    expect(await get({ cookie: `fixpoint_session=${newSecret()}` })).toBe(404)
    expect(await get(basic(author.email, 'wrong'))).toBe(401)
    expect(await get({ authorization: `Bearer ${author.token}`, 'sec-fetch-site': 'cross-site' })).toBe(200)
  })
  test('at once, also where replicas do not know it yet', async () => {
    const { on, issue_id } = await givenStory()
    const { key } = await createPicture(on, { issue_id })
    const behind = { ...app.db, readsMayLag: true, read: () => Promise.resolve([]) }
    const { anonymous } = await appOn(app.db, {}, { db: behind, files: on.services.files })

    expect((await anonymous.send('GET', `/files/${key}`)).status).toBe(200)
    expect((await anonymous.send('GET', `/files/${newFileKey('png')}`)).status).toBe(404)
  })
})
