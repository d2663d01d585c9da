import { beforeEach, describe, expect, it } from 'vitest'

import { formFields } from '../../helpers/form-fields.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let [roads, path] = [0, '']
let owner: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
  path = `/organizations/${roads}/manage`
})

describe('the pages on which an organisation is set up', () => {
  it('link to the parts that the role may change', async () => {
    const clerk = await app.create.user({ memberOf: [{ organization: roads }] })

    const forOwner = await (await createLoggedInBrowser(app, owner)).get(path)
    const forClerk = await (await createLoggedInBrowser(app, clerk)).get(path)

    expect(forOwner.visibleText).toContain('Settings')
    expect(forClerk.visibleText).toContain('Members')
    expect(forClerk.visibleText).not.toContain('Settings')
  })

  it('refuse to change a role that another member has changed meanwhile', async () => {
    const clerk = await app.create.user({ memberOf: [{ organization: roads }] })
    const browser = await createLoggedInBrowser(app, owner)
    const member = `${path}/members/${clerk.id}`
    const form = formFields((await browser.get(member)).text)
    const change = (role: string) => browser.post(member, { ...form, role })

    const [first, second] = [await change('manager'), await change('moderator')]

    expect([first.status, second.status]).toEqual([303, 422])
    expect(second.visibleText).toContain('has changed')
    expect((await browser.get(`${path}/members`)).visibleText).toContain('Manager')
  })

  it('save the settings with the values that the API stores', async () => {
    const browser = await createLoggedInBrowser(app, owner)
    const form = formFields((await browser.get(`${path}/settings`)).text)

    const saved = await browser.post(`${path}/settings`, {
      ...form,
      ...{ name: 'Streets', 'translations.es.name': 'Calles', inbox_email: 'works@example.org', shows_targets: 'true' },
    })

    expect(`${saved.status} ${String(saved.headers['location'])}`).toBe(`303 ${path}/settings?done=saved`)
    expect((await app.as.user(owner).get(`/organizations/${roads}`)).body).toMatchObject({
      settings: {
        ...{ name: 'Streets', translations: { es: { name: 'Calles' } }, inbox_email: 'works@example.org' },
        ...{ shows_targets: true, shows_people: true },
      },
    })
  })

  it('keep what was entered, with the error at its field', async () => {
    const browser = await createLoggedInBrowser(app, owner)
    const form = formFields((await browser.get(`${path}/settings`)).text)

    const page = await browser.post(`${path}/settings`, { ...form, name: 'Streets\0', inbox_email: 'nowhere' })

    expect(page.status).toBe(422)
    expect(page.text).toContain('value="nowhere"')
    expect(page.text).toContain('id="field-inbox_email-error"')
  })

  it('name the day of a calendar whose hours are wrong', async () => {
    const browser = await createLoggedInBrowser(app, owner)
    const form = { name: 'Office', time_zone: 'UTC', 'weekly_hours.monday': '08:00-12:00' }
    const send = (friday: string) => browser.post(`${path}/calendars/new`, { ...form, 'weekly_hours.friday': friday })

    const pages = [await send('8-12'), await send('12:00-08:00')]

    expect(pages.map(({ status, text }) => [status, /id="field-weekly_hours-(\w+)-error"/.exec(text)?.[1]])).toEqual([
      [422, 'friday'],
      [422, 'friday'],
    ])
  })

  it('refuse a form that another member has outdated', async () => {
    const browser = await createLoggedInBrowser(app, owner)
    const form = formFields((await browser.get(`${path}/settings`)).text)
    await app.db.prisma.organization.update({ where: { id: roads }, data: { guest_reports: true } })

    const page = await browser.post(`${path}/settings`, { ...form, name: 'Streets' })

    expect(page.status).toBe(422)
    expect(page.visibleText).toContain('Another member has changed this meanwhile.')
    expect(await app.db.prisma.organization.findUniqueOrThrow({ where: { id: roads } })).toMatchObject({ name: 'Roads' })
  })
})

describe('the page of an issue', () => {
  it('says by when an answer is promised if the organisation shows its targets', async () => {
    const issue = await app.create.issue({ request_type: await app.create.requestType({ organization: roads }) })
    const [started_at, acknowledge_by] = [new Date(), new Date(Date.now() + 86_400_000)]
    await app.db.prisma.issueTarget.create({ data: { issue_id: issue, started_at, acknowledge_by } })
    const browser = await createLoggedInBrowser(app, await app.create.user())

    const before = await browser.get(`/issues/${issue}`)
    await app.db.prisma.organization.update({ where: { id: roads }, data: { shows_targets: true } })
    const after = await browser.get(`/issues/${issue}`)
    await app.db.prisma.issueTarget.update({ where: { issue_id: issue }, data: { paused_at: started_at } })
    const paused = await browser.get(`/issues/${issue}`)

    expect([before, after, paused].map(({ visibleText }) => visibleText.includes('Answer promised by'))).toEqual([
      false,
      true,
      false,
    ])
  })
})
