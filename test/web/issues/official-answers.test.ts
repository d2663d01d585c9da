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

const say = async (by: TestUser, issue: number, step: string) =>
  (await createLoggedInBrowser(app, by)).post(`/issues/${issue}/${step}`, { comment: `We come on Monday. ${step}` })

describe('official answers on the page of an issue', () => {
  it('name the organisation in words once a public change shows that the author works for it', async () => {
    const ella = await createOfficial({ name: 'Ella Reyes' })
    const issue = await app.create.issue({ request_type })

    await say(ella, issue, 'comments')
    const before = await entriesOf(issue)
    await say(ella, issue, 'acknowledge')
    await say(ella, issue, 'close')

    expect(before).toEqual(['Ella Reyes Verified official'])
    expect(await entriesOf(issue)).toEqual([
      'Ella Reyes Official · Denver Roads',
      'Ella Reyes Official · Denver Roads acknowledged this',
      'Ella Reyes Official · Denver Roads closed this',
    ])
  })

  it('name it for the assignee, who is public too, and have no organisation for issues of the community', async () => {
    const ella = await createOfficial({ name: 'Ella Reyes' })
    const assigned = await app.create.issue({ request_type, assignee: ella })
    const community = await app.create.issue()
    await say(ella, assigned, 'comments')
    await say(ella, community, 'acknowledge')

    expect(await entriesOf(assigned)).toEqual(['Ella Reyes Official · Denver Roads'])
    expect(await entriesOf(community)).toEqual(['Ella Reyes Official acknowledged this'])
  })

  it('do not reveal a membership that the API does not show', async () => {
    const colleague = await createOfficial({ name: 'Otto Grant' })
    const elsewhere = await createOfficial({ name: 'Ida Wolf', memberOf: [{ organization: await app.create.organization() }] })
    const unmarked = await createOfficial({ name: 'Ben Stone', role: 'RegisteredUser' })
    const admin = await app.create.user({ name: 'Ada Park', role: 'Admin' })
    const resident = await app.create.user({ name: 'Cleo Hill' })
    const issue = await app.create.issue({ request_type })
    for (const by of [colleague, elsewhere, unmarked, resident]) await say(by, issue, 'comments')

    await say(admin, issue, 'acknowledge')

    expect(await entriesOf(issue)).toEqual([
      'Otto Grant Verified official',
      'Ida Wolf Verified official',
      'Ben Stone',
      'Cleo Hill',
      'Ada Park Administrator acknowledged this',
    ])
  })

  it('do not mark residents who close an issue', async () => {
    const resident = await app.create.user({ name: 'Cleo Hill' })
    const issue = await app.create.issue({ request_type })

    await say(resident, issue, 'close')

    expect(await entriesOf(issue)).toEqual(['Cleo Hill closed this'])
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
