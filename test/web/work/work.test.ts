import { beforeEach, describe, expect, it } from 'vitest'

import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { parseIssueList } from '../../helpers/issue-list.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const FAR = { lng: 20, lat: 20 }
let ella: TestUser
let otto: TestUser
let browser: Browser
let types: { readonly pothole: number; readonly lamp: number; readonly foreign: number }

beforeEach(async () => {
  const [roads, parks] = [await app.create.organization({ name: 'Denver Roads' }), await app.create.organization({ name: 'Parks' })]
  types = {
    pothole: await app.create.requestType({ organization: roads, title: 'Pothole' }),
    lamp: await app.create.requestType({ organization: roads, title: 'Street light' }),
    foreign: await app.create.requestType({ organization: parks, title: 'Tree' }),
  }
  ella = await app.create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
  otto = await app.create.user({ name: 'Otto Grant', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
  browser = await createLoggedInBrowser(app, ella)
})

const titlesIn = (page: string) => [...page.matchAll(/<h3><a href="[^"]*">([^<]*)/g)].map(([, title]) => title)
const tabsIn = (page: string) =>
  [...(/<nav class="choices"[^]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/<a [^>]*>([^<]*)/g)].map(([, name]) => name)
const mapLinkIn = (page: string) =>
  (/<a href="([^"]*)">Show these issues on the map/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')

async function createIssues() {
  const [pothole, lamp] = [{ request_type: types.pothole }, { request_type: types.lamp }]
  await app.create.issue({ ...pothole, summary: 'New hole', created_at: '2026-03-01T10:00:00Z' })
  await app.create.issue({ ...pothole, summary: 'Old hole', created_at: '2026-01-01T10:00:00Z', assignee: otto, at: FAR })
  const lit = await app.create.issue({
    ...lamp,
    summary: 'Dark lamp',
    created_at: '2026-02-01T10:00:00Z',
    address: '250 Church St',
  })
  for (const by of [ella, otto]) await app.create.vote({ on: lit, by })
  await app.create.issue({ ...pothole, summary: 'Seen hole', status: 'Acknowledged', assignee: ella })
  await app.create.issue({ ...pothole, summary: 'Filled hole', status: 'Closed', assignee: ella })
  await app.create.issue({ ...pothole, summary: 'Hidden hole', moderation_state: 'held' })
  await app.create.issue({ request_type: types.foreign, summary: 'Fallen tree' })
  await app.create.issue({ summary: 'Something else', assignee: ella })
}

describe('/work', () => {
  it('lists the public issues of the organisation by tab, those that wait longest first', async () => {
    await createIssues()

    const pages = []
    for (const tab of ['open', 'acknowledged', 'mine', 'unassigned']) pages.push((await browser.get(`/work?tab=${tab}`)).text)

    expect(pages.map(titlesIn)).toEqual([
      ['Old hole', 'Dark lamp', 'New hole'],
      ['Seen hole'],
      ['Seen hole', 'Something else'],
      ['Dark lamp', 'New hole'],
    ])
    expect(tabsIn(pages[0] ?? '')).toEqual(['To acknowledge 3', 'Acknowledged 1', 'Assigned to me 2', 'Unassigned 2'])
    expect(pages[0]).toContain('Denver Roads')
  })

  it('finds an issue by its number, and shows the number', async () => {
    await createIssues()
    const { id } = await app.db.prisma.issue.findFirstOrThrow({ where: { summary: 'Old hole' } })

    const { text } = await browser.get(`/work?search=%23${id}`)

    expect(titlesIn(text)).toEqual(['Old hole'])
    expect(text).toContain(`#${id}</b>`)
    expect(mapLinkIn(text)).toContain(`search=%23${id}`)
  })

  it('shows the kind, the votes and the assignee of each issue', async () => {
    await createIssues()

    const { visibleText } = await browser.get('/work')

    expect(visibleText).toContain('Pothole · 0 votes · assigned to Otto Grant')
    expect(visibleText).toContain('250 Church St Street light · 2 votes · unassigned')
  })

  it('sorts by age or votes, and filters by kind, place and status on every tab', async () => {
    await createIssues()
    await app.create.place({ name: 'Denver', url_name: 'denver', around: GREEN })

    const read = async (query: string) => titlesIn((await browser.get(`/work?${query}`)).text)

    expect(await read('sort=newest')).toEqual(['New hole', 'Dark lamp', 'Old hole'])
    expect((await read('sort=votes'))[0]).toBe('Dark lamp')
    expect(await read(`request_types=${types.lamp}`)).toEqual(['Dark lamp'])
    expect(await read('place_url=denver')).toEqual(['Dark lamp', 'New hole'])
    expect(await read('tab=mine&status=closed')).toEqual(['Filled hole'])
    expect(tabsIn((await browser.get(`/work?request_types=${types.lamp}`)).text)).toEqual([
      ...['To acknowledge 1', 'Acknowledged 0', 'Assigned to me 0', 'Unassigned 1'],
    ])
  })

  it('tells apart places of one name in its choice', async () => {
    await app.create.place({ name: 'Springfield', url_name: 'springfield', around: GREEN })
    await app.create.place({ name: 'Springfield', url_name: 'springfield-2', around: GREEN })
    await app.db.prisma.place.update({ where: { url_name: 'springfield-2' }, data: { county: null, state: 'IL' } })
    await app.create.place({ name: 'Denver', url_name: 'denver', around: GREEN })

    const { text } = await browser.get('/work')

    expect([...text.matchAll(/<option value="[a-z0-9-]+">((?:Springfield|Denver)[^<]*)</g)].map(([, name]) => name)).toEqual([
      'Denver',
      ...['Springfield, Some County, CT', 'Springfield, IL'],
    ])
  })

  it('counts as the API does, and links the map of the same issues', async () => {
    await createIssues()

    for (const tab of ['open', 'acknowledged', 'mine', 'unassigned']) {
      const { text } = await browser.get(`/work?tab=${tab}`)
      const link = mapLinkIn(text)
      const api = parseIssueList(await app.as.user(ella).get(`/issues${link.slice(1)}`)).pagination.entries
      const map = await browser.get(link)
      // The map opens at the issues.
      expect(link).toMatch(/min_lat=.*min_lng=.*max_lat=.*max_lng=/)

      const count = titlesIn(text).length
      expect([tab, api]).toEqual([tab, count])
      expect(map.visibleText).toContain(count === 1 ? '1 issue' : `${count} issues`)
    }
  })

  it('has pages, which keep the tab and the filters', async () => {
    for (let number = 0; number < 21; number++) await app.create.issue({ request_type: types.pothole })

    const [first, second, past] = [
      await browser.get(`/work?request_types=${types.pothole}&sort=newest`),
      await browser.get(`/work?request_types=${types.pothole}&sort=newest&page=2`),
      await browser.get('/work?page=9'),
    ]

    expect([first, second].map(({ text }) => titlesIn(text).length)).toEqual([20, 1])
    expect(first.text).toContain(`href="/work?request_types=${types.pothole}&amp;sort=newest&amp;tab=open&amp;page=2"`)
    expect(past.visibleText).toContain('This page of the list is empty.')
  })

  it('leads to the open reports of the community around the area of the organisation', async () => {
    const community = await app.create.requestType({ title: 'Litter' })

    const { text } = await browser.get('/work')

    expect(text).toMatch(
      new RegExp(`href="/\\?request_types=other%2C${community}&amp;status=open&amp;min_lat=[^"]*">Open community`),
    )
  })

  it('is for members of organisations and Admins only', async () => {
    const resident = await createLoggedInBrowser(app, await app.create.user())

    const anonymous = await createBrowser(app.fastify).get('/work?tab=mine')
    const { status, visibleText } = await resident.get('/work')

    expect([anonymous.status, anonymous.headers.location]).toEqual([303, '/login?return_to=%2Fwork%3Ftab%3Dmine'])
    expect(status).toBe(403)
    expect(visibleText).toContain('This is for members of an organisation.')
    expect((await resident.get('/places')).text).not.toContain('href="/work"')
  })

  it('lists the issues of all organisations to an Admin who belongs to none', async () => {
    await createIssues()
    const admin = await createLoggedInBrowser(app, await app.create.user({ role: 'Admin' }))

    const { text, visibleText } = await admin.get('/work')

    expect(titlesIn(text).toSorted()).toEqual(['Dark lamp', 'Fallen tree', 'New hole', 'Old hole'])
    expect(visibleText).toContain('All organisations')
    expect((await admin.get('/places')).text).toContain('href="/work"')
  })

  it('refuses a type of another organisation, unknown places and unknown tabs by name', async () => {
    for (const [query, field] of [
      [`request_types=${types.foreign}`, 'request_types'],
      ['place_url=nowhere', 'place_url'],
      ['tab=all', 'tab'],
    ]) {
      const { status, text } = await browser.get(`/work?${query}`)
      expect([status, text.includes(`<code>${field}</code>`)]).toEqual([422, true])
    }
  })
})
