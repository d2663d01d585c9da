import { beforeEach, describe, expect, it } from 'vitest'

import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { setTarget } from '../../helpers/set-target.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const FAR = { lng: 20, lat: 20 }
let roads: number
let ella: TestUser
let otto: TestUser
let browser: Browser
let types: { readonly pothole: number; readonly lamp: number; readonly foreign: number }

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Denver Roads', around: GREEN })
  const parks = await app.create.organization({ name: 'Parks', around: FAR })
  types = {
    pothole: await app.create.requestType({ organization: roads, title: 'Pothole' }),
    lamp: await app.create.requestType({ organization: roads, title: 'Street light' }),
    foreign: await app.create.requestType({ organization: parks, title: 'Tree' }),
  }
  ella = await app.create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
  otto = await app.create.user({ name: 'Otto Grant', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
  browser = await createLoggedInBrowser(app, ella)
})

const titlesIn = (page: string) => [...page.matchAll(/class="what"><a href="[^"]*">([^<]*)/g)].map(([, title]) => title)
const tabsIn = (page: string) =>
  [...(/<nav class="choices"[^]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/<a [^>]*>([^<]*)/g)].map(([, name]) => name)
const read = async (query: string) => titlesIn((await browser.get(`/work?${query}`)).text)
const find = (id: number) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })

async function createIssues() {
  const [pothole, lamp] = [{ request_type: types.pothole }, { request_type: types.lamp }]
  const fresh = await app.create.issue({ ...pothole, summary: 'New hole', created_at: '2026-03-01T10:00:00Z' })
  const old = await app.create.issue({
    ...{ ...pothole, summary: 'Old hole', created_at: '2026-01-01T10:00:00Z', assignee: otto, at: FAR },
  })
  const lit = await app.create.issue({
    ...{ ...lamp, summary: 'Dark lamp', created_at: '2026-02-01T10:00:00Z', address: '250 Church St' },
  })
  for (const by of [ella, otto]) await app.create.vote({ on: lit, by })
  await app.create.issue({
    ...pothole,
    summary: 'Seen hole',
    status: 'Acknowledged',
    assignee: ella,
    created_at: '2026-02-03T10:00:00Z',
  })
  await app.create.issue({ ...pothole, summary: 'Filled hole', status: 'Closed', assignee: ella })
  await app.create.issue({ ...pothole, summary: 'Hidden hole', moderation_state: 'held' })
  await app.create.issue({ request_type: types.foreign, summary: 'Fallen tree' })
  await app.create.issue({ summary: 'Something else', at: GREEN, created_at: '2026-02-02T10:00:00Z' })
  return { fresh, old, lit }
}

describe('/work', () => {
  it('lists the issues of the organisation and of the community in its area, those that wait longest first', async () => {
    await createIssues()

    const { text } = await browser.get('/work')

    expect(titlesIn(text)).toEqual(['Old hole', 'Dark lamp', 'Something else', 'Seen hole', 'New hole'])
    expect(tabsIn(text)).toEqual(['All waiting 5', 'To acknowledge 4', 'Late 0', 'Due soon 0', 'Assigned to me 1', 'Unassigned 3'])
    expect(text).toContain('Denver Roads')
  })

  it('has tabs, filters and orders as addresses', async () => {
    const { old } = await createIssues()
    await app.create.place({ name: 'Denver', url_name: 'denver', around: GREEN })
    await app.db.prisma.issue.update({ where: { id: old }, data: { priority: 3 } })

    expect(await read('status=open')).toEqual(['Old hole', 'Dark lamp', 'Something else', 'New hole'])
    expect(await read('assignee=me')).toEqual(['Seen hole'])
    expect(await read('assignee=me&status=closed')).toEqual(['Filled hole'])
    expect(await read('sort=created_at')).toEqual(['New hole', 'Seen hole', 'Something else', 'Dark lamp', 'Old hole'])
    expect((await read('sort=rating'))[0]).toBe('Dark lamp')
    expect(await read('priority=3')).toEqual(['Old hole'])
    expect(await read('outcome=&waiting_since_before=2026-01-15')).toEqual(['Old hole'])
    expect(await read(`request_types=${types.lamp}`)).toEqual(['Dark lamp'])
    expect(await read('place_url=denver&status=open')).toEqual(['Dark lamp', 'Something else', 'New hole'])
    expect(await read(`search=%23${old}`)).toEqual(['Old hole'])
    const { id: closed } = await app.db.prisma.issue.findFirstOrThrow({ where: { summary: 'Filled hole' } })
    for (const query of [`search=%23${closed}`, `search=${closed}`, `number=${closed}`])
      expect(await read(query)).toEqual(['Filled hole'])
    // A browser sends a form only if each required field has a value.
    const { text } = await browser.get('/work')
    const [form = ''] = /<form class="filters work-filters"[^]*?<\/form>/.exec(text) ?? []
    const required = [...form.matchAll(/<select[^>]* name="(\w+)"[^>]* required/g)].map(([, name]) => name)
    expect(required).toEqual(['sort'])
  })

  it('shows number, kind, address, target in words, employee and votes of each issue', async () => {
    const { lit } = await createIssues()
    const hour = 3_600_000
    await setTarget(app.db, lit, { close_by: new Date(Date.now() - 50 * hour) })

    const { text, visibleText } = await browser.get('/work?late=close')

    expect(titlesIn(text)).toEqual(['Dark lamp'])
    expect(visibleText).toMatch(new RegExp(`#${lit} Dark lamp.*Street light.*250 Church St.*2 days late to close.*unassigned 2`))
    expect(text).toContain('class="target late"')
  })

  it('has pages, which keep the filters', async () => {
    for (let number = 0; number < 21; number++) await app.create.issue({ request_type: types.pothole })

    const [first, second, past] = [
      await browser.get(`/work?request_types=${types.pothole}&sort=created_at`),
      await browser.get(`/work?request_types=${types.pothole}&sort=created_at&page=2`),
      await browser.get('/work?page=9'),
    ]

    expect([first, second].map(({ text }) => titlesIn(text).length)).toEqual([20, 1])
    expect(first.text).toMatch(
      new RegExp(`href="/work\\?request_types=${types.pothole}&amp;sort=created_at&amp;organization_id=${roads}&amp;page=2"`),
    )
    expect(past.visibleText).toContain('This page of the list is empty.')
  })

  it('is a table of the same query as CSV, for members only', async () => {
    const { lit } = await createIssues()
    const resident = await createLoggedInBrowser(app, await app.create.user())

    const page = await browser.get(`/work?request_types=${types.lamp}&sort=age&late=soon,close`)
    const [, address = ''] = /href="([^"]+)">CSV</.exec(page.text) ?? []
    const { text, headers } = await browser.get(address.replaceAll('&amp;', '&').replace('late=soon%2Cclose&', ''))

    expect(address).toContain('late=soon%2Cclose')
    expect(headers['content-type']).toContain('text/csv')
    expect(text.split('\r\n')[1]).toContain(`${lit},Open,Dark lamp,`)
    expect(text.trim().split('\r\n')).toHaveLength(2)
    expect((await resident.get(address.replaceAll('&amp;', '&'))).status).toBe(403)
  })

  it('is for members of organisations and Admins only', async () => {
    const resident = await createLoggedInBrowser(app, await app.create.user())

    const anonymous = await createBrowser(app.fastify).get('/work?assignee=me')
    const { status, visibleText } = await resident.get('/work')

    expect([anonymous.status, anonymous.headers.location]).toEqual([303, '/login?return_to=%2Fwork%3Fassignee%3Dme'])
    expect(status).toBe(403)
    expect(visibleText).toContain('This is for members of an organisation.')
    expect((await resident.get('/places')).text).not.toContain('href="/work"')
  })

  it('shows an Admin each organisation, and a member none of the others', async () => {
    await createIssues()
    const admin = await createLoggedInBrowser(app, await app.create.user({ role: 'Admin' }))
    const parks = await app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Parks' } })

    const { text } = await admin.get(`/work?organization_id=${parks.id}`)
    const foreign = await browser.get(`/work?organization_id=${parks.id}`)

    expect(titlesIn(text)).toEqual(['Fallen tree'])
    expect(foreign.status).toBe(404)
    expect((await admin.get('/places')).text).toContain('href="/work"')
  })

  it('shows a moderator the list without its form', async () => {
    await createIssues()
    const user = await app.create.user({ memberOf: [{ organization: roads, role: 'moderator' }] })
    const moderator = await createLoggedInBrowser(app, user)

    const { text } = await moderator.get('/work')

    expect(titlesIn(text)).toHaveLength(5)
    expect(text).not.toContain('name="version_')
  })

  it.each(['assignee=all', 'place_url=nowhere', 'late=never', 'status=lost'])('refuses ?%s by name', async (query) => {
    const { status, text } = await browser.get(`/work?${query}`)

    expect([status, text.includes(`<code>${query.split('=')[0]}</code>`)]).toEqual([422, true])
  })
})

describe('POST /work', () => {
  const post = (fields: Readonly<Record<string, string | number>>, ids: readonly number[] = [], query = '') => {
    const form = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
    for (const id of ids) {
      form.append('issue', String(id))
      if (!form.has(`version_${id}`)) form.append(`version_${id}`, '1')
    }
    return browser.send('POST', `/work${query}`, {
      payload: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    })
  }

  it('acknowledges all selected issues with one answer, without a review of the repeated text', async () => {
    const { fresh, old, lit } = await createIssues()

    const { status, headers } = await post({ action: 'acknowledge' }, [fresh, old, lit], '?status=open')

    expect([status, headers.location]).toEqual([303, '/work?status=open&done=acknowledge&count=3'])
    expect((await Promise.all([fresh, old, lit].map(find))).map((issue) => issue.status)).toEqual(Array(3).fill('Acknowledged'))
    const comments = await app.db.prisma.comment.findMany({ where: { issue_id: { in: [fresh, old, lit] } } })
    expect(comments.map(({ comment, moderation_state }) => [comment, moderation_state])).toEqual(
      Array(3).fill(['We have seen this report and will look into it.', 'passed']),
    )
    expect((await browser.get(String(headers.location))).visibleText).toContain('3 issues are acknowledged.')
  })

  it('assigns to the user and to a colleague, and withdraws it', async () => {
    const { fresh } = await createIssues()

    const assigned = []
    for (const [version, assignee_id] of [ella.id, otto.id, 'none'].entries()) {
      await post({ action: 'assign', assignee_id, [`version_${fresh}`]: version + 1 }, [fresh])
      assigned.push((await find(fresh)).assignee_id)
    }

    expect(assigned).toEqual([ella.id, otto.id, null])
  })

  it('closes with the outcome and the answer', async () => {
    const { lit } = await createIssues()

    await post({ action: 'close', outcome: 'cannot_fix', comment: 'The pole belongs to a museum.' }, [lit])

    expect(await find(lit)).toMatchObject({ status: 'Closed', outcome: 'cannot_fix' })
    expect(await app.db.prisma.comment.findFirst({ where: { issue_id: lit } })).toMatchObject({
      comment: 'The pole belongs to a museum.',
    })
  })

  it('takes a step for one row, whatever is selected', async () => {
    const { fresh, old } = await createIssues()

    await post({ action: `acknowledge-${old}`, [`version_${old}`]: 1 }, [fresh])

    expect([(await find(fresh)).status, (await find(old)).status]).toEqual(['Open', 'Acknowledged'])
  })

  it('names an issue that changed meanwhile and one that refuses the step, and changes the others', async () => {
    const { fresh, old, lit } = await createIssues()
    const { id: closed } = await app.db.prisma.issue.findFirstOrThrow({ where: { summary: 'Filled hole' } })
    await app.db.prisma.issue.update({ where: { id: old }, data: { version: 2 } })

    const { headers } = await post({ action: 'acknowledge' }, [fresh, old, lit, closed])
    const { visibleText } = await browser.get(String(headers.location))

    expect((await Promise.all([fresh, old, lit].map(find))).map(({ status }) => status)).toEqual([
      'Acknowledged',
      'Open',
      'Acknowledged',
    ])
    expect(visibleText).toContain(`2 issues are acknowledged. Changed by a colleague meanwhile, so left as they are: #${old}`)
    expect(visibleText).toContain(`Not possible for these, so left as they are: #${closed}`)
  })

  it('refuses an unknown step and selections that are no numbers by name, and issues of others', async () => {
    await createIssues()
    const { id: foreign } = await app.db.prisma.issue.findFirstOrThrow({ where: { summary: 'Fallen tree' } })

    const [unknown, invalid, others] = [
      await post({ action: 'delete' }),
      await post({ action: 'close-x' }),
      await post({ action: 'close' }, [foreign]),
    ]

    expect([unknown.status, invalid.status]).toEqual([422, 422])
    expect(others.headers.location).toBe(`/work?done=close&count=0&refused=${foreign}`)
    expect((await find(foreign)).status).toBe('Open')
  })
})
