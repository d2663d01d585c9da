import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [ella, ada, mia]: TestUser[] = []
let type: number
let issue: number

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  ella = await app.create.user({ memberOf: [{ organization: roads }] })
  ada = await app.create.user()
  mia = await app.create.user({ memberOf: [{ organization: roads, role: 'moderator' }] })
  issue = await app.create.issue({ request_type: type, status: 'Open' })
})

const send = (who: TestUser | undefined, step: string, body: object | string, id = issue) =>
  app.as.user(who as TestUser).send('POST', `/api/v2/issues/${id}/${step}`, {
    body: typeof body === 'string' ? body : { comment: `${step} ${id}`, ...body },
    ...(typeof body === 'string' ? { headers: { 'content-type': 'application/x-www-form-urlencoded' } } : {}),
  })
const read = async (id = issue) => (await app.as.anonymous.get(`/issues/${id}`)).body as Record<string, unknown>

describe('POST /issues/:id/close with an outcome', () => {
  it('shows the outcome of an employee in the issue, lists, downloads, Open311 and the history until the issue is reopened', async () => {
    const closed = await send(ella, 'close', { outcome: 'passed_on', passed_on_to: ' State Roads ' })

    expect(closed.status).toBe(201)
    expect(await read()).toMatchObject({ status: 'Closed', outcome: 'passed_on', passed_on_to: 'State Roads', duplicate_of: null })
    const list = await app.as.anonymous.get('/issues?status=closed')
    expect(list.body).toMatchObject({ issues: [{ id: issue, outcome: 'passed_on' }] })
    const [csv, history, open311] = await Promise.all([
      app.as.anonymous.send('GET', '/exports/issues.geojsonl'),
      app.as.anonymous.send('GET', '/exports/history.geojsonl'),
      app.as.anonymous.send('GET', `/open311/v2/requests/${issue}.json?extensions=true`),
    ])
    expect([csv.text, history.text, open311.text]).toEqual(Array(3).fill(expect.stringContaining('"outcome":"passed_on"')))
    const filtered = await app.as.anonymous.send('GET', `/ogc/collections/issues/items?filter=outcome='passed_on'&f=json`)
    expect(filtered.text).toContain('"numberMatched":1,')

    await send(ada, 'open', {})

    expect(await read()).toMatchObject({ status: 'Open', outcome: null, passed_on_to: null })
    const { log } = (await app.as.user(ella as TestUser).get(`/issues/${issue}/work`)).body as { log: unknown[] }
    expect(log).toMatchObject([{ after: { status: 'Open' } }, { after: { outcome: 'passed_on', passed_on_to: 'State Roads' } }])
  })

  it('stores no outcome of an employee who gives none, and reported_fixed for every other user', async () => {
    const other = await app.create.issue({ request_type: type })

    const answers = [
      await send(ella, 'close', 'comment=Done&outcome=&passed_on_to=&duplicate_of='),
      await send(ada, 'close', {}, other),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect([(await read())['outcome'], (await read(other))['outcome']]).toEqual([null, 'reported_fixed'])
  })

  it('names the public issue that a duplicate repeats', async () => {
    const original = await app.create.issue()

    const closed = await send(ella, 'close', `comment=Twice&outcome=duplicate&duplicate_of=%23${original}`)

    expect(closed.status).toBe(201)
    expect(await read()).toMatchObject({
      outcome: 'duplicate',
      duplicate_of: original,
      duplicate_of_url: `http://fixpoint.test/api/v2/issues/${original}`,
    })
    const page = await createBrowser(app.fastify).get(`/issues/${issue}`)
    expect(page.visibleText).toContain(`Closed · duplicate`)
    expect(page.text).toContain(`<a href="/issues/${original}">issue #${original}</a>`)
  })

  it('returns 422 that names the field', async () => {
    const held = await app.create.issue({ moderation_state: 'held' })
    const allowed = 'fixed, duplicate, passed_on, not_ours, cannot_fix, not_found'
    const unknown = { duplicate_of: 'must be the number of another public issue' }

    const answers = [
      await send(ella, 'close', { outcome: 'done' }),
      await send(ella, 'close', { outcome: 'reported_fixed' }),
      await send(ada, 'close', { outcome: 'fixed' }),
      await send(ella, 'close', { outcome: 'fixed', passed_on_to: 'X', duplicate_of: 7 }),
      await send(ella, 'close', { outcome: 'passed_on', passed_on_to: 'x'.repeat(201) }),
      await send(ella, 'close', { outcome: 'duplicate', duplicate_of: 'seven' }),
      await send(ella, 'close', { outcome: 'duplicate', duplicate_of: issue }),
      await send(ella, 'close', { outcome: 'duplicate', duplicate_of: held }),
      await send(ella, 'close', { outcome: 'duplicate', duplicate_of: 999_999 }),
    ]

    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      [
        { outcome: `must be one of ${allowed}, reported_fixed` },
        { outcome: `must be one of ${allowed}` },
        { outcome: 'must be one of reported_fixed' },
        {
          passed_on_to: 'is only allowed with the outcome passed_on',
          duplicate_of: 'is only allowed with the outcome duplicate',
        },
        { passed_on_to: 'must be a text of at most 200 characters' },
        { duplicate_of: 'must be the number of an issue' },
        unknown,
        unknown,
        unknown,
      ].map((body) => [422, body]),
    )
    expect(await read()).toMatchObject({ status: 'Open', outcome: null })
  })

  it('keeps the outcome of a held comment until a moderator approves it', async () => {
    const held = await send(ella, 'close', { comment: 'You asshole', outcome: 'cannot_fix' })
    const spam = await send(
      ella,
      'close',
      { outcome: 'passed_on', passed_on_to: 'You asshole' },
      await app.create.issue({ request_type: type }),
    )
    expect([held.status, spam.status]).toEqual([202, 202])
    expect(await read()).toMatchObject({ status: 'Open', outcome: null })
    const { items } = (await app.as.user(mia as TestUser).get('/moderation')).body as { items: { id: number; original: object }[] }

    for (const { id } of items) await app.as.user(mia as TestUser).send('POST', `/api/v2/moderation/${id}/approve`, { body: {} })

    expect(await read()).toMatchObject({ status: 'Closed', outcome: 'cannot_fix' })
    expect(items.map(({ original }) => original)).toContainEqual(expect.objectContaining({ passed_on_to: 'You asshole' }))
  })
})

describe('closing on the page of an issue', () => {
  it('requires an outcome of an employee, and shows who has the issue and for how long', async () => {
    const browser = await createLoggedInBrowser(app, ella as TestUser)
    const fields = { comment: 'They repair it.', passed_on_to: 'State Roads', duplicate_of: '#1' }

    const refused = await browser.post(`/issues/${issue}/close`, { ...fields, outcome: '' })
    const closed = await browser.post(`/issues/${issue}/close`, { ...fields, outcome: 'passed_on' })

    expect([refused.status, closed.status]).toEqual([422, 303])
    expect(refused.visibleText).toContain('Choose an outcome to close the issue.')
    const page = await createBrowser(app.fastify).get(`/issues/${issue}`)
    expect(page.visibleText).toContain('Closed · passed on')
    expect(page.visibleText).toMatch(/Passed on to State Roads on .*\. Waiting for 1 minute\./)
    expect(page.visibleText).toContain('closed this · passed on')
  })

  it('says that a resident reported the issue as fixed, without asking for an outcome', async () => {
    const browser = await createLoggedInBrowser(app, ada as TestUser)
    const before = await browser.get(`/issues/${issue}`)

    await browser.post(`/issues/${issue}/close`, { comment: 'It is gone.' })

    expect(before.text).not.toContain('name="outcome"')
    expect((await browser.get(`/issues/${issue}`)).visibleText).toContain('Closed · reported as fixed')
  })
})
