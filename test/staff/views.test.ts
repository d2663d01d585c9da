import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads: number
let [mia, ella]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  mia = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
  ella = await app.create.user({ memberOf: [{ organization: roads }] })
})

const send = (user: TestUser | undefined, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  app.as.user(user as TestUser).send(method, `/api/v2/organizations/${roads}/views${path}`, {
    ...(body ? { body, headers: { 'if-match': '*' } } : {}),
  })
const listNames = async (user: TestUser | undefined) => {
  const { body } = await app.as.user(user as TestUser).get(`/organizations/${roads}/views`)
  return (body as { views: { name: string }[] }).views.map(({ name }) => name)
}

describe('views of an organisation', () => {
  it('are added, changed, ordered and deleted by their owner, whom they are shown to', async () => {
    const late = await send(ella, 'POST', '', { name: 'Late', query: 'late=close&sort=target' })
    const mine = await send(ella, 'POST', '', { name: 'Mine', query: 'assignee=me&status=open,acknowledged' })
    const [first, second] = [late, mine].map(({ body }) => (body as { id: number }).id)

    expect([late.status, late.body]).toEqual([
      201,
      { id: first, name: 'Late', query: 'late=close&sort=target', is_shared: false, position: 1 },
    ])
    expect(await listNames(ella)).toEqual(['Late', 'Mine'])
    expect((await send(ella, 'PUT', `/${second}`, { position: 0 })).status).toBe(200)
    expect(await listNames(ella)).toEqual(['Mine', 'Late'])
    expect(await listNames(mia)).toEqual([])
    expect((await send(mia, 'PUT', `/${first}`, { name: 'Read' })).status).toBe(404)
    expect((await send(ella, 'DELETE', `/${first}`)).status).toBe(204)
    expect(await listNames(ella)).toEqual(['Mine'])
  })

  it('are shared by those who may manage content, and then seen by all members', async () => {
    const { body } = await send(mia, 'POST', '', { name: 'Urgent', query: 'priority=3', is_shared: true })
    const { id } = body as { id: number }
    const own = await send(ella, 'POST', '', { name: 'Own', query: 'number=4' })

    expect(await listNames(ella)).toEqual(['Own', 'Urgent'])
    expect((await send(ella, 'POST', '', { name: 'All', query: '', is_shared: true })).status).toBe(403)
    expect((await send(ella, 'PUT', `/${(own.body as { id: number }).id}`, { is_shared: true })).status).toBe(403)
    expect((await send(ella, 'PUT', `/${id}`, { name: 'Mine' })).status).toBe(403)
    expect((await send(ella, 'DELETE', `/${id}`)).status).toBe(403)
    expect((await send(mia, 'DELETE', `/${id}`)).status).toBe(204)
  })

  it.each([
    ['late=never', 'late'],
    ['lat=95&lng=1', 'lat'],
    ['stauts=open', 'stauts'],
    ['page=2', 'page'],
    ['watcher_token=secret', 'watcher_token'],
    ['place_url=nowhere', 'place_url'],
    ['request_types=4711', 'request_types'],
  ])('return 422 for the query %s', async (query, field) => {
    const added = await send(ella, 'POST', '', { name: 'View', query })

    expect([added.status, Object.keys(added.body as object)]).toEqual([422, [field]])
  })
})

describe('/work', () => {
  it('saves its filters as a tab, moves it and deletes it', async () => {
    const browser = await createLoggedInBrowser(app, ella as TestUser)
    const save = (name: string, query: string) =>
      browser.post('/views', { organization_id: String(roads), name, query, action: 'save' })
    const page = await browser.get(`/work?organization_id=${roads}&late=soon&search=caf%C3%A9`)
    const query = /name="query" value="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''

    const saved = await save('Soon', query)
    await save('Mine', 'assignee=me')

    const [soon, mine] = await app.db.prisma.savedView.findMany({ orderBy: { id: 'asc' } })
    expect(query).toBe('late=soon&search=caf%C3%A9&sort=age&status=open%2Cacknowledged')
    expect([saved.status, saved.headers['location']]).toEqual([303, `/work?organization_id=${roads}&${query}`])
    const opened = await browser.get(`/views?organization_id=${roads}&id=${soon?.id}`)
    const shown = await browser.get(opened.headers['location'] as string)
    expect(shown.text).toMatch(new RegExp(`id=${soon?.id}" aria-current="true">Soon</a>`))
    await browser.post('/views', { organization_id: String(roads), query, action: `up-${mine?.id}` })
    expect(await listNames(ella)).toEqual(['Mine', 'Soon'])
    await browser.post('/views', { organization_id: String(roads), query, action: `delete-${mine?.id}` })
    expect(await listNames(ella)).toEqual(['Soon'])
  })

  it('names a view whose query is no longer allowed', async () => {
    const browser = await createLoggedInBrowser(app, ella as TestUser)
    const data = { organization_id: roads, owner_id: ella?.id ?? null, name: 'Old town', query: 'place_url=old-town' }
    const { id } = await app.db.prisma.savedView.create({ data })

    const { status, text } = await browser.get(`/views?organization_id=${roads}&id=${id}`)

    expect(status).toBe(422)
    expect(text).toContain('Old town')
    expect(text).toContain('can no longer be opened, because these parameters are no longer allowed: place_url')
  })
})
