import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { addSession } from '../../src/http/identity/session-queries.ts'
import type { Client } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, basic } from '../http/app-on.ts'
import { createImage } from './stored-images.ts'

describe('access to GET /files/pictures', () => {
  const app = useApp()

  async function createStory(state: { issue?: 'held' | 'rejected'; comment?: 'held' | 'rejected' } = {}) {
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
      anonymous: app.as.anonymous,
      author: as(author),
      commenter: as(commenter),
      resident: as(await create.user()),
      employee: as(await create.user({ memberOf: [{ organization: roads }] })),
      'moderator elsewhere': as(await create.user({ memberOf: [{ organization: parks, role: 'moderator' }] })),
      moderator: as(await create.user({ memberOf: [{ organization: roads, role: 'moderator' }] })),
      admin: as(await create.user({ role: 'Admin' })),
    }
    const listViewers = async (key: string) => {
      const statuses = Object.entries(clients).map(async ([name, client]) => {
        const { status, headers } = await client.send('GET', `/files/${key}`)
        return { name, status, cached: headers['cache-control'] }
      })
      const answers = await Promise.all(statuses)
      const cached = [...new Set(answers.map((answer) => `${answer.status} ${String(answer.cached)}`))].sort()
      return { by: answers.filter(({ status }) => status === 200).map(({ name }) => name), cached }
    }
    return { on: { db: app.db, services }, issue_id, comment_id, author, clients, listViewers }
  }

  const allCallers = ['anonymous', 'author', 'commenter', 'resident', 'employee', 'moderator elsewhere', 'moderator', 'admin']
  const forAll = { by: allCallers, cached: ['200 public, max-age=31536000, s-maxage=300, immutable'] }
  const onlyFor = (...by: string[]) => ({ by, cached: ['200 private, no-store', '404 no-store'] })

  it('allows all callers to see pictures of reports, comments and public answers', async () => {
    const { on, issue_id, comment_id, listViewers } = await createStory()

    expect(await listViewers((await createImage(on, { issue_id })).key)).toEqual(forAll)
    expect(await listViewers((await createImage(on, { issue_id, comment_id })).key)).toEqual(forAll)
    expect(await listViewers((await createImage(on, { issue_id, is_answer: true })).key)).toEqual(forAll)
  })

  it.each(['held', 'rejected'] as const)(
    'allows only the author and moderators of the organisation for a report that is %s',
    async (issue) => {
      const { on, issue_id, listViewers } = await createStory({ issue })

      expect(await listViewers((await createImage(on, { issue_id })).key)).toEqual(onlyFor('author', 'moderator', 'admin'))
    },
  )

  it.each(['held', 'rejected'] as const)(
    'allows only the author and moderators of the organisation for a comment that is %s',
    async (comment) => {
      const { on, issue_id, comment_id, listViewers } = await createStory({ comment })

      expect(await listViewers((await createImage(on, { issue_id, comment_id })).key)).toEqual(
        onlyFor('commenter', 'moderator', 'admin'),
      )
    },
  )

  it('allows only the author and moderators of the organisation for a public comment on a report pending review', async () => {
    const { on, issue_id, comment_id, listViewers } = await createStory({ issue: 'held' })

    expect(await listViewers((await createImage(on, { issue_id, comment_id })).key)).toEqual(
      onlyFor('author', 'moderator', 'admin'),
    )
  })

  it('allows only staff of the organisation for a private answer', async () => {
    const { on, issue_id, listViewers } = await createStory()
    const { key } = await createImage(on, { issue_id, is_answer: true, answer_kept_private: true })

    expect(await listViewers(key)).toEqual(onlyFor('employee', 'moderator', 'admin'))
  })

  it('requires access to both for a private answer to a report pending review', async () => {
    const { on, issue_id, listViewers } = await createStory({ issue: 'held' })
    const { key } = await createImage(on, { issue_id, is_answer: true, answer_kept_private: true })

    expect(await listViewers(key)).toEqual(onlyFor('moderator', 'admin'))
  })

  it('applies to every size of a picture', async () => {
    const { on, issue_id, listViewers } = await createStory({ issue: 'held' })
    const { id } = await createImage(on, { issue_id })
    const other = [await createImage(on, { issue_id }), await createImage(on, { issue_id })]
    const [square, representative] = other.map(({ key }) => key)
    await app.db.execute(sql`DELETE FROM media m WHERE m.id <> ${id} RETURNING m.id`)
    await app.db.execute(
      sql`UPDATE media m SET square_key = ${square}, representative_key = ${representative} WHERE m.id = ${id} RETURNING m.id`,
    )

    expect(await listViewers(square ?? '')).toEqual(onlyFor('author', 'moderator', 'admin'))
    expect(await listViewers(representative ?? '')).toEqual(onlyFor('author', 'moderator', 'admin'))
  })

  it('returns 404 if no row refers to the file or the file is missing', async () => {
    const { on, issue_id, listViewers } = await createStory()
    const { key, id } = await createImage(on, { issue_id })
    const noViewers = { by: [], cached: ['404 no-store'] }

    await app.db.execute(sql`DELETE FROM media m WHERE m.id = ${id} RETURNING m.id`)
    expect(await listViewers(key)).toEqual(noViewers)
    expect(await listViewers(newFileKey('png'))).toEqual(noViewers)

    const { key: removedKey } = await createImage(on, { issue_id })
    await on.services.files.remove(removedKey)
    expect(await listViewers(removedKey)).toEqual(noViewers)
  })

  it('returns the same response for a hidden picture and a missing one', async () => {
    const { on, issue_id, clients } = await createStory({ issue: 'held' })
    const { key } = await createImage(on, { issue_id })
    const answerTo = async (path: string, headers: Record<string, string>) => {
      const { status, headers: sent, body } = (await clients['resident']?.send('GET', `/files/${path}`, { headers })) ?? {}
      // A token that is new to the process counts as an attempt, whatever the request is.
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

  it('accepts Basic, Bearer and session cookies, but ignores cookies of cross-site requests', async () => {
    const { on, issue_id, author, clients } = await createStory({ issue: 'held' })
    const { key } = await createImage(on, { issue_id })
    await app.db.prisma.user.update({ where: { id: author.id }, data: { password_hash: await hashPassword('correct horse') } })
    const get = async (headers: Record<string, string>) =>
      (await clients['anonymous']?.send('GET', `/files/${key}`, { headers }))?.status
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
  it('reads the primary if the replica lags', async () => {
    const { on, issue_id } = await createStory()
    const { key } = await createImage(on, { issue_id })
    const behind = { ...app.db, readsMayLag: true, reader: { query: () => Promise.resolve(undefined as never) } }
    const { anonymous } = await appOn(app.db, {}, { db: behind, files: on.services.files })

    expect((await anonymous.send('GET', `/files/${key}`)).status).toBe(200)
    expect((await anonymous.send('GET', `/files/${newFileKey('png')}`)).status).toBe(404)
  })
})
