import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import type { TestUser, UserInput } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let roads: number
let request_type: number

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Denver Roads' })
  request_type = await app.create.requestType({ organization: roads })
})

const createOfficial = (more: UserInput = {}) =>
  app.create.user({ role: 'VerifiedOfficial', memberOf: [{ organization: roads }], ...more })

/** Returns the name, the badge and the change of each entry. */
async function entriesOf(issue: number) {
  const { text } = await createBrowser(app.fastify).get(`/issues/${issue}`)
  return [...text.matchAll(/<li class="(?:card|event)"[^]*?<p>([^]*?)<span class="quiet">/g)].map(([, entry = '']) =>
    entry
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

const say = async (by: TestUser, issue: number, step: string, outcome = 'fixed') =>
  (await createLoggedInBrowser(app, by)).post(`/issues/${issue}/${step}`, { comment: `We come on Monday. ${step}`, outcome })

describe('official answers on the page of an issue', () => {
  it('name the organisation of an employee who comments, acknowledges or closes', async () => {
    const ella = await createOfficial({ name: 'Ella Reyes' })
    const issue = await app.create.issue({ request_type })

    for (const step of ['comments', 'acknowledge', 'close']) await say(ella, issue, step)

    expect(await entriesOf(issue)).toEqual([
      'Ella Reyes Official · Denver Roads',
      'Ella Reyes Official · Denver Roads acknowledged this',
      'Ella Reyes Official · Denver Roads closed this · fixed',
    ])
  })

  it('say in which language the name is, if it is not translated', async () => {
    const ella = await createOfficial({ name: 'Ella Reyes' })
    const issue = await app.create.issue({ request_type })
    await say(ella, issue, 'acknowledge')
    const browser = await createLoggedInBrowser(app, ella)
    const read = async (path: string) => (await browser.get(path, { 'accept-language': 'fr' })).text

    const own = [await read(`/issues/${issue}`), await read('/work')]
    const translations = { fr: { name: 'Voirie de Denver' } }
    await app.db.prisma.organization.update({ where: { id: roads }, data: { translations } })
    const translated = [await read(`/issues/${issue}`), await read('/work')]

    expect(own.map((text) => text.match(/(·|quiet">) ?<span lang="en">Denver Roads</g)?.length)).toEqual([1, 1])
    expect(translated[0]).toContain(' · Voirie de Denver</span>')
    expect(translated[1]).toContain('<p class="quiet">Voirie de Denver ·')
  })

  it('name it where an employee closes an open issue, as every resident may', async () => {
    const ella = await createOfficial({ name: 'Ella Reyes' })
    const issue = await app.create.issue({ request_type })

    await say(ella, issue, 'close')

    expect(await entriesOf(issue)).toEqual(['Ella Reyes Official · Denver Roads closed this · fixed'])
  })

  it('name on an issue of the community the organisation whose area covers it', async () => {
    const [far] = [await app.create.organization({ name: 'Aurora Parks', around: { lng: 20, lat: 20 } })]
    const ella = await createOfficial({ name: 'Ella Reyes', memberOf: [{ organization: far }, { organization: roads }] })
    const abroad = await createOfficial({ name: 'Ida Wolf', memberOf: [{ organization: far }] })
    const issue = await app.create.issue()

    await say(ella, issue, 'comments')
    await say(abroad, issue, 'comments')
    await say(ella, issue, 'acknowledge')

    expect(await entriesOf(issue)).toEqual([
      'Ella Reyes Official · Denver Roads',
      'Ida Wolf Verified official',
      'Ella Reyes Official · Denver Roads acknowledged this',
    ])
  })

  it('reveal neither memberships of other organisations nor those that the public role does not show', async () => {
    const elsewhere = await createOfficial({
      name: 'Ida Wolf',
      memberOf: [{ organization: await app.create.organization({ name: 'Aurora Parks' }) }],
    })
    const unmarked = await createOfficial({ name: 'Ben Stone', role: 'RegisteredUser' })
    const admin = await app.create.user({ name: 'Ada Park', role: 'Admin' })
    const resident = await app.create.user({ name: 'Cleo Hill' })
    const issue = await app.create.issue({ request_type })
    for (const by of [elsewhere, unmarked, resident]) await say(by, issue, 'comments')

    await say(admin, issue, 'acknowledge')

    expect(await entriesOf(issue)).toEqual([
      'Ida Wolf Verified official',
      'Ben Stone',
      'Cleo Hill',
      'Ada Park Administrator acknowledged this',
    ])
  })

  it('do not mark a member who may not work on the issue and closes it as a resident', async () => {
    const moderator = await createOfficial({ name: 'Mo Berg', memberOf: [{ organization: roads, role: 'moderator' }] })
    const issue = await app.create.issue({ request_type })

    await say(moderator, issue, 'close', 'reported_fixed')

    expect((await entriesOf(issue))[0]).toMatch(/^Mo Berg closed this/)
  })

  it('do not mark residents who close an issue', async () => {
    const resident = await app.create.user({ name: 'Cleo Hill' })
    const issue = await app.create.issue({ request_type })

    await say(resident, issue, 'close', 'reported_fixed')

    expect(await entriesOf(issue)).toEqual(['Cleo Hill closed this · reported as fixed'])
  })
})

describe('votes on the page of an issue', () => {
  it('are not offered to the reporter, who can withdraw one that the API took', async () => {
    const reporter = await app.create.user()
    const issue = await app.create.issue({ reporter })
    const own = await createLoggedInBrowser(app, reporter)
    const other = await createLoggedInBrowser(app, await app.create.user())

    const [before, others] = [await own.get(`/issues/${issue}`), await other.get(`/issues/${issue}`)]
    const voted = await app.as.user(reporter).send('POST', `/api/v2/issues/${issue}/vote`)
    const after = await own.get(`/issues/${issue}`)

    expect(before.text).not.toContain(`/issues/${issue}/vote`)
    expect(others.text).toContain(`action="/issues/${issue}/vote"`)
    expect(voted.status).toBe(201)
    expect(after.text).toContain(`action="/issues/${issue}/vote/delete"`)
  })
})
