import { describe, expect, it } from 'vitest'

import { capabilities, memberRoles } from '../../src/http/identity/roles.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()

describe('GET /organizations', () => {
  it('lists organisations by name with their box and the request types in use, in the language of the caller', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const parks = await app.create.organization({ name: 'Parks' })
    const pothole = await app.create.requestType({ organization: roads, title: 'Pothole' })
    const retired = await app.create.requestType({ organization: roads, title: 'Gas lamp' })
    await app.db.prisma.requestType.update({ where: { id: retired }, data: { active: false } })
    await app.db.prisma.requestType.update({ where: { id: pothole }, data: { translations: { es: { title: 'Bache' } } } })

    const list = await app.as.anonymous.get('/organizations')
    const inSpanish = await app.as.anonymous.get('/organizations?per_page=1&page=2', { 'accept-language': 'es' })

    expect(list.body).toMatchObject({
      metadata: { pagination: { entries: 2 } },
      organizations: [
        {
          id: parks,
          name: 'Parks',
          request_types: [],
          html_url: `${PUBLIC_URL}/organizations/${parks}`,
          statistics_url: `${PUBLIC_URL}/api/v2/organizations/${parks}/statistics`,
        },
        { id: roads, name: 'Roads', request_types: [{ id: pothole, title: 'Pothole' }] },
      ],
    })
    const [west, south, east, north] = (list.body as { organizations: { bbox: number[] }[] }).organizations[0]?.bbox ?? []
    expect([west, south, east, north].map((value) => Number(value?.toFixed(4)))).toEqual(
      [GREEN.lng - 0.1, GREEN.lat - 0.1, GREEN.lng + 0.1, GREEN.lat + 0.1].map((value) => Number(value.toFixed(4))),
    )
    expect(inSpanish.body).toMatchObject({ organizations: [{ id: roads, request_types: [{ title: 'Bache' }] }] })
  })
})

describe('GET /organizations/:id', () => {
  it('has the area for all users, and settings for managers and owners alone', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const members = await Promise.all(memberRoles.map((role) => app.create.user({ memberOf: [{ organization: roads, role }] })))

    const open = await app.as.anonymous.get(`/organizations/${roads}`)
    const settings = await Promise.all(
      members.map(
        async (member) => ((await app.as.user(member).get(`/organizations/${roads}`)).body as { settings: unknown }).settings,
      ),
    )

    expect(open.body).toMatchObject({ id: roads, area: { type: 'MultiPolygon' }, settings: null })
    const own = {
      ...{ language: 'en', name: 'Roads', translations: {}, hold_everything: false, guest_reports: false },
      ...{ shows_people: true, shows_targets: false, inbox_email: null },
    }
    expect(settings).toEqual([null, null, own, { ...own, forwarding: null }])
  })
})

describe('PUT /organizations/:id', () => {
  it('changes the given settings for owners, and the inbox address to its canonical form or to none', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
    const manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
    const put = async (body: object, by = owner) =>
      app.as.user(by).send('PUT', `/api/v2/organizations/${roads}`, { body, headers: { 'if-match': '*' } })

    const changed = await put({ inbox_email: ' Works@City.Example ', hold_everything: true })
    const settings = { hold_everything: true, guest_reports: false, inbox_email: 'Works@city.example' }
    expect(changed).toMatchObject({ status: 200, body: { name: 'Roads', settings } })
    expect(await put({ inbox_email: null })).toMatchObject({ body: { settings: { ...settings, inbox_email: null } } })
    expect(await put({ inbox_email: 'nowhere' })).toMatchObject({
      status: 422,
      body: { inbox_email: expect.any(String) as string },
    })
    expect((await put({ guest_reports: true }, manager)).status).toBe(403)
  })

  it('changes the name and its translations, and names the field of each error', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    await app.create.organization({ name: 'Parks' })
    const owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
    const put = async (body: object) =>
      app.as.user(owner).send('PUT', `/api/v2/organizations/${roads}`, { body, headers: { 'if-match': '*' } })

    const changed = await put({ name: ' Streets ', translations: { es: { name: 'Calles' } } })
    const refused = [
      await put({ name: 'Parks' }),
      await put({ name: ' ' }),
      await put({ translations: { en: { name: 'Streets' } } }),
      await put({ translations: { es: 'Calles' } }),
    ]

    expect(changed.body).toMatchObject({ settings: { name: 'Streets', translations: { es: { name: 'Calles' } } } })
    expect(refused.map(({ status, body }) => [status, Object.keys(body as object)])).toEqual(
      ['name', 'name', 'translations', 'translations'].map((field) => [422, [field]]),
    )
  })
})

describe('GET /organizations/:id/capabilities', () => {
  it('says what each role may do', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const granted = await Promise.all(
      memberRoles.map(async (role) => {
        const member = await app.create.user({ memberOf: [{ organization: roads, role }] })
        return (await app.as.user(member).get(`/organizations/${roads}/capabilities`)).body
      }),
    )

    expect(granted).toEqual([
      { organization_id: roads, role: 'employee', capabilities: ['read_issues', 'work_on_issues', 'report_for_caller'] },
      { organization_id: roads, role: 'moderator', capabilities: ['read_issues', 'moderate'] },
      { organization_id: roads, role: 'manager', capabilities: capabilities.filter((one) => one !== 'manage_organization') },
      { organization_id: roads, role: 'owner', capabilities: [...capabilities] },
    ])
  })
})
