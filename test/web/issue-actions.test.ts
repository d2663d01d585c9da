import { beforeEach, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { type Browser, createBrowser, type PageResponse } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
let otto: TestUser
let issue: number
let path: string

beforeEach(async () => {
  otto = await app.create.user({ name: 'Otto Grant' })
  issue = await app.create.issue({ summary: 'Pothole' })
  path = `/issues/${issue}`
})

const press = async (browser: Browser, step: string, fields = {}) => {
  const { status, headers } = await browser.post(`${path}/${step}`, fields)
  return `${status} ${String(headers['location'] ?? '')}`.trim()
}
const eventsOf = async () =>
  (await queryRows<{ type: string }>(app.db, sql`SELECT e.type FROM events e ORDER BY e.id`)).map(({ type }) => type)

describe('a vote by the page', () => {
  test('is cast and taken back by one press, and twice is once', async () => {
    const browser = await createLoggedInBrowser(app, otto)

    const cast = [await press(browser, 'vote'), await press(browser, 'vote')]
    const voted = await browser.get(path)
    const taken = [await press(browser, 'vote/delete'), await press(browser, 'vote/delete')]
    const before = await browser.get(path)

    expect([...cast, ...taken]).toEqual(Array(4).fill(`303 ${path}#part`))
    expect(voted.visibleText).toContain('Votes 1')
    expect(voted.visibleText).toContain('You voted for it. Remove your vote')
    expect(before.visibleText).toContain('Votes 0')
    expect(before.visibleText).toContain('Does it concern you, too? Vote for it')
    expect(await eventsOf()).toEqual(['issue.voted', 'issue.unvoted'])
  })
})

describe('following by the page', () => {
  test('begins and ends by one press, and twice is once', async () => {
    const browser = await createLoggedInBrowser(app, otto)

    const begun = [await press(browser, 'follow'), await press(browser, 'follow')]
    const followed = await browser.get(path)
    const ended = [await press(browser, 'follow/delete'), await press(browser, 'follow/delete')]
    const before = await browser.get(path)

    expect([...begun, ...ended]).toEqual(Array(4).fill(`303 ${path}#part`))
    expect(followed.visibleText).toContain('You follow it. News of it comes to your confirmed addresses by mail. Unfollow')
    expect(before.visibleText).toContain('Do you want news of it by mail? Follow')
    expect(await eventsOf()).toEqual(['issue.followed', 'issue.unfollowed'])
  })

  test('shows to everybody their own vote and follow, and to nobody any', async () => {
    await app.create.vote({ on: issue, by: otto })
    await app.create.follow({ on: issue, by: otto })

    const own = await (await createLoggedInBrowser(app, otto)).get(path)
    const other = await (await createLoggedInBrowser(app, await app.create.user())).get(path)
    const nobody = await createBrowser(app.fastify).get(path)

    expect(own.visibleText).toMatch(/You voted for it\..*You follow it\./)
    expect(other.visibleText).not.toMatch(/You voted|You follow/)
    expect(nobody.visibleText).not.toMatch(/You voted|You follow|Take part/)
  })
})

describe('assigning by the page', () => {
  let roads: number
  let ella: TestUser
  let browser: Browser

  beforeEach(async () => {
    roads = await app.create.organization({ name: 'Roads' })
    ella = await app.create.user({ name: 'Ella Reyes', memberOf: [{ organization: roads }] })
    issue = await app.create.issue({ request_type: await app.create.requestType({ organization: roads }) })
    path = `/issues/${issue}`
    browser = await createLoggedInBrowser(app, ella)
  })

  const choicesIn = ({ text }: PageResponse) => {
    const select = /<select[^>]* name="assignee_id"[^>]*>(.*?)<\/select>/s.exec(text)?.[1] ?? ''
    return [...select.matchAll(/<option value="([^"]*)"( selected)?>([^<]*)</g)].map(([, key, selected, name]) => {
      return `${key} ${name}${selected ? ' *' : ''}`
    })
  }

  test('lets employees choose a colleague, themselves or nobody, and shows everybody who takes care of it', async () => {
    const mia = await app.create.user({ name: 'Mia Cole', memberOf: [{ organization: roads }] })
    await app.create.user({ name: 'Of Parks', memberOf: [{ organization: await app.create.organization() }] })

    const offered = await browser.get(path)
    const given = await press(browser, 'assignee', { assignee_id: String(mia.id) })
    const assigned = await browser.get(path)
    const shown = await createBrowser(app.fastify).get(path)
    const taken = await press(browser, 'assignee', { assignee_id: 'unassigned' })
    const free = await browser.get(path)

    expect(choicesIn(offered)).toEqual(['unassigned Nobody yet *', `${ella.id} Ella Reyes (you)`, `${mia.id} Mia Cole`])
    expect([given, taken]).toEqual([`303 ${path}#part`, `303 ${path}#part`])
    expect(choicesIn(assigned)).toEqual(['unassigned Nobody yet', `${ella.id} Ella Reyes (you)`, `${mia.id} Mia Cole *`])
    expect(shown.visibleText).toContain('Assigned to Mia Cole')
    expect(free.visibleText).not.toContain('Assigned to')
  })

  test('offers for a community issue everybody whom the rule allows, and no one else', async () => {
    const [near, far] = [await app.create.organization(), await app.create.organization({ around: { lng: 10, lat: 10 } })]
    await app.create.user({ name: 'Near', memberOf: [{ organization: near, role: 'moderator' }, { organization: roads }] })
    await app.create.user({ name: 'Far Away', memberOf: [{ organization: far }] })
    issue = await app.create.issue()
    path = `/issues/${issue}`

    const names = choicesIn(await browser.get(path)).map((choice) => choice.replace(/^\w+ /, ''))

    expect(names).toEqual(['Nobody yet *', 'Ella Reyes (you)', 'Near'])
  })

  test('keeps whoever has it among the choices, though they left the organisation', async () => {
    await app.db.prisma.issue.update({ where: { id: issue }, data: { assignee_id: otto.id } })

    expect(choicesIn(await browser.get(path))).toContain(`${otto.id} Otto Grant *`)
  })

  test('of somebody who may not have it is refused beside the field', async () => {
    const answers = await Promise.all(
      [String(otto.id), '0', '9999999999', 'x', ''].map((assignee_id) => browser.post(`${path}/assignee`, { assignee_id })),
    )

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    expect(answers[0]?.text).toMatch(
      /id="field-assignee_id-error">Must be an employee of an organisation that looks after this issue\./,
    )
    expect(answers[0]?.visibleText).toContain('The form has errors. Correct the marked fields.')
    expect(answers.every(({ text }) => text.includes('id="field-assignee_id-error"'))).toBe(true)
    expect(await eventsOf()).toEqual([])
  })

  test('is neither offered to anybody else nor open to them', async () => {
    const resident = await createLoggedInBrowser(app, otto)
    const elsewhere = await createLoggedInBrowser(
      app,
      await app.create.user({ memberOf: [{ organization: await app.create.organization() }] }),
    )

    const pages = await Promise.all([resident, elsewhere, createBrowser(app.fastify)].map((one) => one.get(path)))
    const sent = await Promise.all(
      [resident, elsewhere].map((one) => one.post(`${path}/assignee`, { assignee_id: String(otto.id) })),
    )

    expect(pages.flatMap(choicesIn)).toEqual([])
    expect(pages.some(({ text }) => text.includes('Ella Reyes'))).toBe(false)
    expect(sent.map(({ status }) => status)).toEqual([403, 403])
    expect(sent[0]?.visibleText).toContain('This is for employees of the organisation that looks after the issue.')
  })
})

describe('everything that is done by one press', () => {
  const steps = ['vote', 'vote/delete', 'follow', 'follow/delete', 'assignee']

  test('needs a login, which leads back', async () => {
    const answers = await Promise.all(steps.map((step) => press(createBrowser(app.fastify), step)))

    expect(answers).toEqual(steps.map(() => `303 /login?return_to=%2Fissues%2F${issue}%23say`))
  })

  test('needs a page of ours', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }

    const answers = await Promise.all(steps.map((step) => browser.post(`${path}/${step}`, {}, foreign)))

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(await eventsOf()).toEqual([])
  })

  test('goes nowhere where the issue is held, and tells its reporter why', async () => {
    const held = await app.create.issue({ reporter: otto, moderation_state: 'held' })
    const [own, other] = [await createLoggedInBrowser(app, otto), await createLoggedInBrowser(app, await app.create.user())]

    const refused = await Promise.all(['vote', 'vote/delete', 'follow'].map((step) => own.post(`/issues/${held}/${step}`)))
    const unknown = await other.post(`/issues/${held}/vote`)

    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(refused[1]?.visibleText).toContain('This issue is not public, so nothing can be added to it or changed.')
    expect(unknown.status).toBe(404)
  })

  test('is possible on an archived issue, too', async () => {
    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Archived' } })
    const browser = await createLoggedInBrowser(app, otto)

    const answers = [await press(browser, 'vote'), await press(browser, 'follow')]

    expect(answers).toEqual([`303 ${path}#part`, `303 ${path}#part`])
    expect((await browser.get(path)).visibleText).toContain('It is archived: its status stays as it is, but you can still comment.')
  })
})
