import { beforeEach, describe, expect, it } from 'vitest'

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

describe('vote button', () => {
  it('adds and removes the vote, and is idempotent', async () => {
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

describe('follow button', () => {
  it('follows and unfollows, and is idempotent', async () => {
    const browser = await createLoggedInBrowser(app, otto)

    const begun = [await press(browser, 'follow'), await press(browser, 'follow')]
    const followed = await browser.get(path)
    const ended = [await press(browser, 'follow/delete'), await press(browser, 'follow/delete')]
    const before = await browser.get(path)

    expect([...begun, ...ended]).toEqual(Array(4).fill(`303 ${path}#part`))
    expect(followed.visibleText).toContain('You follow it. You get mails about it at your confirmed address. Unfollow')
    expect(before.visibleText).toContain('Do you want mails about it? Follow')
    expect(await eventsOf()).toEqual(['issue.followed', 'issue.unfollowed'])
  })

  it('shows users only their own vote and follow, and anonymous users none', async () => {
    await app.create.vote({ on: issue, by: otto })
    await app.create.follow({ on: issue, by: otto })

    const own = await (await createLoggedInBrowser(app, otto)).get(path)
    const other = await (await createLoggedInBrowser(app, await app.create.user())).get(path)
    const anonymous = await createBrowser(app.fastify).get(path)

    expect(own.visibleText).toMatch(/You voted for it\..*You follow it\./)
    expect(other.visibleText).not.toMatch(/You voted|You follow/)
    expect(anonymous.visibleText).not.toMatch(/You voted|You follow/)
  })
})

describe('assignee form', () => {
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

  it('lets employees assign colleagues, themselves or no one, and shows the assignee publicly', async () => {
    const mia = await app.create.user({ name: 'Mia Cole', memberOf: [{ organization: roads }] })
    await app.create.user({ name: 'Of Parks', memberOf: [{ organization: await app.create.organization() }] })

    const offered = await browser.get(path)
    const assign = await press(browser, 'assignee', { assignee_id: String(mia.id), version: '1' })
    const assigned = await browser.get(path)
    const shown = await createBrowser(app.fastify).get(path)
    const unassign = await press(browser, 'assignee', { assignee_id: '', version: '2' })
    const free = await browser.get(path)

    expect(choicesIn(offered)).toEqual([' Unassigned *', `${ella.id} Ella Reyes (you)`, `${mia.id} Mia Cole`])
    expect([assign, unassign]).toEqual([`303 ${path}#staff`, `303 ${path}#staff`])
    expect(choicesIn(assigned)).toEqual([' Unassigned', `${ella.id} Ella Reyes (you)`, `${mia.id} Mia Cole *`])
    expect(shown.visibleText).toContain('Assigned to Mia Cole')
    expect(free.visibleText).not.toContain('Assigned to Mia Cole')
  })

  it('offers exactly the permitted employees for a community issue', async () => {
    const [near, far] = [await app.create.organization(), await app.create.organization({ around: { lng: 10, lat: 10 } })]
    await app.create.user({ name: 'Near', memberOf: [{ organization: near, role: 'manager' }, { organization: roads }] })
    await app.create.user({ name: 'Far Away', memberOf: [{ organization: far }] })
    issue = await app.create.issue()
    path = `/issues/${issue}`

    const names = choicesIn(await browser.get(path)).map((choice) => choice.replace(/^\w* /, ''))

    expect(names).toEqual(['Unassigned *', 'Ella Reyes (you)', 'Near'])
  })

  it('still offers the current assignee after they left the organisation', async () => {
    await app.db.prisma.issue.update({ where: { id: issue }, data: { assignee_id: otto.id } })

    expect(choicesIn(await browser.get(path))).toContain(`${otto.id} Otto Grant *`)
  })

  it('returns 422 with an error at the field for an assignee who is not permitted', async () => {
    const answers = await Promise.all(
      [String(otto.id), '0', '9999999999', 'x'].map((assignee_id) =>
        browser.post(`${path}/assignee`, { assignee_id, version: '1' }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect(answers[0]?.text).toMatch(
      /id="field-assignee_id-error">Must be an employee of an organisation that looks after this issue\./,
    )
    expect(answers[0]?.visibleText).toContain('The form has errors. Correct the marked fields.')
    expect(answers.every(({ text }) => text.includes('id="field-assignee_id-error"'))).toBe(true)
    expect(await eventsOf()).toEqual([])
  })

  it('is hidden from other users and returns 403 to them', async () => {
    const resident = await createLoggedInBrowser(app, otto)
    const elsewhere = await createLoggedInBrowser(
      app,
      await app.create.user({ memberOf: [{ organization: await app.create.organization() }] }),
    )

    const pages = await Promise.all([resident, elsewhere, createBrowser(app.fastify)].map((one) => one.get(path)))
    const sent = await Promise.all(
      [resident, elsewhere].map((one) => one.post(`${path}/assignee`, { assignee_id: String(otto.id), version: '1' })),
    )

    expect(pages.flatMap(choicesIn)).toEqual([])
    expect(pages.some(({ text }) => text.includes('Ella Reyes'))).toBe(false)
    expect(sent.map(({ status }) => status)).toEqual([403, 403])
    expect(sent[0]?.visibleText).toContain('This is for members of the organisation that looks after the issue')
  })
})

describe('action buttons', () => {
  const steps = ['vote', 'vote/delete', 'follow', 'follow/delete', 'assignee']

  it('redirect to the login without a session, which votes and follows and leads back', async () => {
    const answers = await Promise.all(steps.map((step) => press(createBrowser(app.fastify), step)))

    const after = ['%2Fvote', '%23say', '%2Ffollow', '%23say', '%23say']
    expect(answers).toEqual(after.map((end) => `303 /login?return_to=%2Fissues%2F${issue}${end}`))
  })

  it('return 403 for cross-site requests', async () => {
    const browser = await createLoggedInBrowser(app, otto)
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }

    const answers = await Promise.all(steps.map((step) => browser.post(`${path}/${step}`, {}, foreign)))

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(await eventsOf()).toEqual([])
  })

  it('return 422 to the reporter of a pending issue, and 404 to others', async () => {
    const pendingId = await app.create.issue({ reporter: otto, moderation_state: 'held' })
    const [own, other] = [await createLoggedInBrowser(app, otto), await createLoggedInBrowser(app, await app.create.user())]

    const refused = await Promise.all(['vote', 'vote/delete', 'follow'].map((step) => own.post(`/issues/${pendingId}/${step}`)))
    const unknown = await other.post(`/issues/${pendingId}/vote`)

    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(refused[1]?.visibleText).toContain('This issue is not public, so nothing can be added to it or changed.')
    expect(unknown.status).toBe(404)
  })

  it('work on an archived issue', async () => {
    await app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Archived' } })
    const browser = await createLoggedInBrowser(app, otto)

    const answers = [await press(browser, 'vote'), await press(browser, 'follow')]

    expect(answers).toEqual([`303 ${path}#part`, `303 ${path}#part`])
    expect((await browser.get(path)).visibleText).toContain('It is archived: its status stays as it is, but you can still comment.')
  })
})
