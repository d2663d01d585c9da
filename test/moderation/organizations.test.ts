import { beforeEach, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN, square, type TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { createImage } from '../media/stored-images.ts'
import { createModerationScenario } from './scenario.ts'

const app = useApp()
const scenario = createModerationScenario(app)
const { findOpenItem, items, flagged } = scenario

let roads: number
let people: Record<'own' | 'neighbour' | 'distant' | 'employee' | 'admin' | 'ada', TestUser>
let type: number

beforeEach(async () => {
  const { create } = app
  roads = await create.organization({ name: 'Roads' })
  type = await create.requestType({ organization: roads })
  const [parks, distant] = [await create.organization({ name: 'Parks' }), await create.organization({ around: FAR_AWAY })]
  const moderatorOf = (organization: number) => create.user({ memberOf: [{ organization, role: 'moderator' }] })
  people = {
    ...{ own: await moderatorOf(roads), neighbour: await moderatorOf(parks), distant: await moderatorOf(distant) },
    employee: await create.user({ memberOf: [{ organization: roads, role: 'employee' }] }),
    ...{ admin: await create.user({ role: 'Admin' }), ada: await create.user({ name: 'Ada' }) },
  }
})

const send = (person: TestUser, path: string, method: 'GET' | 'POST' = 'POST') =>
  app.as.user(person).send(method, `/api/v2${path}`, method === 'POST' ? { body: {} } : {})

/** Returns the names of the moderators for whom the request has this status. */
async function namesWith(status: number, request: (person: TestUser) => Promise<{ readonly status: number }>) {
  const found: string[] = []
  for (const name of ['own', 'neighbour', 'distant', 'employee', 'admin'] as const)
    if ((await request(people[name])).status === status) found.push(name)
  return found
}

async function holdReport(request_type?: number): Promise<{ issue: number; item: number }> {
  const issue = await app.create.issue({
    reporter: people.ada,
    moderation_state: 'held',
    ...(request_type === undefined ? {} : { request_type }),
  })
  await flagged('issue', issue)
  return { issue, item: await findOpenItem('issue', issue) }
}

const countIn = async (person: TestUser) =>
  Number(
    /Moderation <span class="number"[^>]*>(\d+)/.exec((await (await createLoggedInBrowser(app, person)).get('/')).text)?.[1] ?? 0,
  )

describe('a moderator of an organisation', () => {
  it('sees and decides on held reports that the organisation may act for, and an Admin on all', async () => {
    const { issue, item } = await holdReport(type)

    expect(await namesWith(200, (person) => send(person, `/moderation/${item}`, 'GET'))).toEqual(['own', 'admin'])
    expect(await namesWith(200, (person) => send(person, `/issues/${issue}`, 'GET'))).toEqual(['own', 'admin'])
    expect(await namesWith(404, (person) => send(person, `/moderation/${item}/approve`))).toEqual(['neighbour', 'distant'])
    const refused = await Promise.all(
      ['neighbour', 'distant'].map((name) => send(people[name as 'distant'], `/moderation/${item}/reject`)),
    )
    expect(refused.map(({ status }) => status)).toEqual([404, 404])
  })

  it('decides on reports of the community in its area', async () => {
    const { item } = await holdReport()

    expect(await namesWith(200, (person) => send(person, `/moderation/${item}`, 'GET'))).toEqual(['own', 'neighbour', 'admin'])
    expect((await send(people.distant, `/moderation/${item}/approve`)).status).toBe(404)
    expect((await send(people.neighbour, `/moderation/${item}/approve`)).status).toBe(200)
  })

  it('has only these items in the list and in the count of the menu', async () => {
    await holdReport(type)
    await holdReport()
    const issue = await app.create.issue({ request_type: type })
    await scenario.createPendingComment(people.ada, issue, { move: 'close' })
    const public_ = await app.create.issue({ request_type: type })
    await flagged('issue', public_)

    for (const [name, count] of [
      ['own', 4],
      ['neighbour', 1],
      ['distant', 0],
      ['admin', 4],
    ] as const)
      expect([name, (await items(people[name])).length, await countIn(people[name])]).toEqual([name, count, count])
  })

  it('sees held comments on the page and by their pictures only there', async () => {
    const issue = await app.create.issue({ request_type: type })
    const comment = await scenario.createPendingComment(people.ada, issue, { comment: 'asshole numbat' })
    const { key } = await createImage(app, { issue_id: issue, comment_id: comment })
    const seen = async (person: TestUser) =>
      (await (await createLoggedInBrowser(app, person)).get(`/issues/${issue}`)).visibleText.includes('numbat')

    expect([await seen(people.own), await seen(people.neighbour), await seen(people.admin)]).toEqual([true, false, true])
    expect(await namesWith(200, (person) => app.as.user(person).send('GET', `/files/${key}`))).toEqual(['own', 'admin'])
  })

  it('decides on questions and answers about cities that its area overlaps', async () => {
    const place = (await app.create.place({ boundary: square(GREEN) })).id
    const question = await app.create.question({ place, by: people.ada, moderation_state: 'held' })
    await flagged('question', question)
    const answer = await app.create.answer({ on: question, by: people.ada, moderation_state: 'held' })
    await flagged('answer', answer)

    for (const [kind, id] of [
      ['question', question],
      ['answer', answer],
    ] as const) {
      const item = await findOpenItem(kind, id)
      const readers = ['own', 'neighbour', 'admin']
      expect(await namesWith(200, (person) => send(person, `/moderation/${item}`, 'GET'))).toEqual(readers)
      expect(await namesWith(200, (person) => send(person, `/${kind}s/${id}`, 'GET'))).toEqual(readers)
    }
  })

  it('redacts pictures of these issues; others are 403 with the capability, and hidden ones 404', async () => {
    const open = await app.create.issue({ request_type: type, reporter: people.ada })
    const { issue: held } = await holdReport(type)
    const statuses = async (issue_id: number) => {
      const name = (await createImage(app, { issue_id })).key.split('/').at(-1) ?? ''
      const browsers = [people.own, people.neighbour, people.admin].map((person) => createLoggedInBrowser(app, person))
      const pages = (await Promise.all(browsers)).map((browser) => browser.get(`/moderation/pictures/${name}`))
      return (await Promise.all(pages)).map(({ status, visibleText }) => `${status} ${visibleText.includes('capability')}`)
    }

    expect(await statuses(open)).toEqual(['200 false', '403 true', '200 false'])
    expect(await statuses(held)).toEqual(['200 false', '404 false', '200 false'])
    const link = async (person: TestUser) =>
      (await (await createLoggedInBrowser(app, person)).get(`/issues/${open}`)).text.includes('/moderation/pictures/')
    expect([await link(people.own), await link(people.neighbour)]).toEqual([true, false])
  })
})
