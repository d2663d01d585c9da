import { beforeEach, describe, expect, it } from 'vitest'

import { apiPrefix } from '../../src/http/request/urls.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads = 0
let owner: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
})

const cityHall = { name: 'City hall', time_zone: 'UTC', weekly_hours: { monday: ['08:00-12:00'] } }

async function create(kind: string, body: object | undefined): Promise<string> {
  const path = `/organizations/${roads}${kind}`
  if (!body) return path
  const created = await app.as.user(owner).send('POST', `${apiPrefix}${path}`, { body })
  return `${path}/${(created.body as { id: number }).id}`
}

const put = (path: string, body: object, version?: string) =>
  app.as.user(owner).send('PUT', `${apiPrefix}${path}`, { body, ...(version && { headers: { 'if-match': version } }) })

describe('edits of an organisation', () => {
  it.each([
    ['its settings', '', undefined, { name: 'Streets' }, { name: 'Ways' }],
    ['a request type', '/request_types', { title: 'Bench' }, { title: 'Seat' }, { questions: [] }],
    ['a calendar', '/calendars', cityHall, { name: 'Depot' }, { holidays: ['2026-12-25'] }],
    ['a target', '/targets', { close_hours: 8 }, { close_hours: 9 }, { acknowledge_hours: 1 }],
    ['a template', '/templates', { title: 'Done', texts: { en: 'Done.' } }, { title: 'Fixed' }, { retired: true }],
    ['a view', '/views', { name: 'Late', query: 'late=close' }, { name: 'Very late' }, { position: 7 }],
  ])('take the ETag of %s once, and say 412 after a change and 428 without it', async (_, kind, body, first, second) => {
    const path = await create(kind, body)
    const read = () => app.as.user(owner).get(path)
    const etag = String((await read()).headers['etag'])

    const changed = await put(path, first, etag)
    const lost = await put(path, second, etag)
    const current = await read()
    const answers = [
      await put(path, second),
      await put(path, second, 'W/"a"'),
      await put(path, second, String(current.headers['etag'])),
    ]

    expect(etag).toMatch(/^"[\w-]{27}\.[\w-]{27}"$/)
    expect([changed.status, lost.status, current.body]).toEqual([200, 412, changed.body])
    expect(answers.map(({ status }) => status)).toEqual([428, 422, 200])
    expect(lost.body).toMatchObject({ message: 'It has changed since: read it again, and send your change with its present ETag.' })
  })

  it.each([
    ['calendar', '/calendars', cityHall, { name: 'Depot' }],
    ['target', '/targets', { close_hours: 8 }, { close_hours: 9 }],
    ['template', '/templates', { title: 'Done', texts: { en: 'Done.' } }, { title: 'Fixed' }],
    ['view', '/views', { name: 'Late', query: 'late=close' }, { name: 'Very late' }],
  ])('delete a %s only in the version that If-Match names', async (_, kind, body, change) => {
    const path = await create(kind, body)
    const remove = (version: string) =>
      app.as.user(owner).send('DELETE', `${apiPrefix}${path}`, { headers: { 'if-match': version } })
    const etag = String((await app.as.user(owner).get(path)).headers['etag'])
    const changed = await put(path, change, etag)

    const answers = [
      await remove(etag),
      await remove('W/"a"'),
      await remove(String((await app.as.user(owner).get(path)).headers['etag'])),
    ]

    expect([changed.status, ...answers.map(({ status }) => status)]).toEqual([200, 412, 422, 204])
  })

  it('take the ETag of a reader in another language', async () => {
    await app.db.prisma.organization.update({ where: { id: roads }, data: { translations: { es: { name: 'Calles' } } } })
    const path = `/organizations/${roads}`

    const spanish = await app.as.user(owner).get(path, { 'accept-language': 'es' })
    const english = await app.as.user(owner).get(path)

    expect(spanish.headers['etag']).not.toBe(english.headers['etag'])
    expect((await put(path, { shows_people: true }, String(spanish.headers['etag']))).status).toBe(200)
  })

  it('keep private settings out of the ETag of all who may not change them', async () => {
    const manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
    const tags = async () =>
      (
        await Promise.all(
          [app.as.anonymous, app.as.user(manager), app.as.user(owner)].map((as) => as.get(`/organizations/${roads}`)),
        )
      ).map(({ headers }) => headers['etag'])
    const [publicTag, ...before] = await tags()

    await put(`/organizations/${roads}`, { inbox_email: 'roads@example.org' }, '*')

    const [after, ...others] = await tags()
    expect(after).toBe(publicTag)
    expect(others).not.toEqual(expect.arrayContaining([before[0], before[1]]))
  })

  it('are not lost if two are sent at once', async () => {
    const path = await create('/calendars', cityHall)
    const etag = String((await app.as.user(owner).get(path)).headers['etag'])

    const answers = await Promise.all(['Depot', 'Station', 'Library'].map((name) => put(path, { name }, etag)))

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412])
  })
})
