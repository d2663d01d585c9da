import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const NEAR = { lat: GREEN.lat + 0.0009, lng: GREEN.lng }

describe('the possible duplicates of a report', () => {
  let ada: TestUser
  let grace: TestUser
  let pothole: number
  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    grace = await app.create.user({ name: 'Grace Hill' })
    pothole = await app.create.requestType({ title: 'Pothole' })
  })

  const votesAndFollows = (issue: number) =>
    queryRows<{ votes: number; follows: number }>(
      app.db,
      sql`SELECT (SELECT count(*)::integer FROM votes v WHERE v.issue_id = ${issue}) AS votes,
        (SELECT count(*)::integer FROM follows f WHERE f.issue_id = ${issue} AND f.user_id = ${ada.id}) AS follows`,
    )

  it('come before the questions, with number, picture, distance and age', async () => {
    const created_at = new Date(Date.now() - 3 * 86_400_000 - 60_000).toISOString()
    await app.create.issue({ summary: 'Deep hole', at: NEAR, request_type: pothole, reporter: grace, created_at })
    const browser = await createLoggedInBrowser(app, ada)

    const { text, visibleText } = await browser.get(`/report?${at}&type=${pothole}`)

    expect(visibleText).toMatch(
      /Is it one of these\?.* Deep hole #1 Open reported 3 days ago.* 330 feet away, the same kind It’s this one/,
    )
    expect(text).toMatch(/<img src="[^"]+" width="100" height="100" alt="" loading="lazy">/)
    expect(text.indexOf('Is it one of these?')).toBeLessThan(text.indexOf('Send the report'))
  })

  it.each([
    ['es', 'a 100 metros, del mismo tipo'],
    ['fr', 'à 100 mètres, du même type'],
  ])('have distances in the units of the language: %s', async (language, reason) => {
    await app.create.issue({ summary: 'Deep hole', at: NEAR, request_type: pothole, reporter: grace })
    const browser = await createLoggedInBrowser(app, ada)
    browser.jar.set('language', language)

    expect((await browser.get(`/report?${at}&type=${pothole}`)).visibleText).toContain(reason)
  })

  it('are only issues of the same type or with like words', async () => {
    const lamp = await app.create.requestType({ title: 'Dark lamp' })
    await app.create.issue({ summary: 'Broken bulb', at: GREEN, request_type: lamp, reporter: grace })
    await app.create.issue({ summary: 'Something else', at: GREEN, reporter: grace })
    await app.create.issue({ summary: 'Huge hole in the road', at: GREEN, reporter: grace })
    const browser = await createLoggedInBrowser(app, ada)

    const withoutWords = await browser.get(`/report?${at}&type=${pothole}`)
    const withWords = await browser.get(`/report?${at}&type=${pothole}&words=hole+in+the+road`)
    const other = await browser.get(`/report?${at}&type=other&words=hole+in+the+road`)

    expect(withoutWords.visibleText).not.toContain('Is it one of these?')
    expect(withWords.visibleText).toMatch(/Is it one of these\?.*Huge hole in the road/)
    expect(withWords.visibleText).not.toMatch(/Broken bulb|Something else/)
    expect(other.visibleText).toMatch(/Is it one of these\?.*Huge hole in the road/)
    expect(other.text).toMatch(/name="answers\[summary\]" type="text" value="hole in the road"/)
  })

  it('can be voted for and followed instead of a new report', async () => {
    const issue = await app.create.issue({ summary: 'Deep hole', at: GREEN, request_type: pothole, reporter: grace })
    const browser = await createLoggedInBrowser(app, ada)

    const first = await browser.post(`/issues/${issue}/same`)
    const again = await browser.post(`/issues/${issue}/same`)

    expect([first, again].map(({ status, headers }) => [status, headers['location']])).toEqual([
      [303, `/issues/${issue}#part`],
      [303, `/issues/${issue}#part`],
    ])
    expect(await votesAndFollows(issue)).toEqual([{ votes: 1, follows: 1 }])
    expect((await browser.get(`/issues/${issue}`)).visibleText).toMatch(/You voted|You have voted/)
  })

  it('are voted for and followed by the login without a session', async () => {
    const issue = await app.create.issue({ summary: 'Deep hole', at: GREEN, reporter: grace })
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { password_hash: await hashPassword('correct horse') } })
    const browser = createBrowser(app.fastify)

    const asked = await browser.post(`/issues/${issue}/same`)
    const before = await votesAndFollows(issue)
    const login = await browser.get(asked.headers['location'] as string)
    const fields = { email: ada.email, password: 'correct horse', return_to: `/issues/${issue}/same` }
    const done = await browser.post('/login', fields)

    expect(asked.headers['location']).toBe(`/login?return_to=${encodeURIComponent(fields.return_to)}`)
    expect(before).toEqual([{ votes: 0, follows: 0 }])
    expect(login.visibleText).toContain(`your vote for #${issue} is counted, and you follow it.`)
    expect(done.headers['location']).toBe(`/issues/${issue}#part`)
    expect(await votesAndFollows(issue)).toEqual([{ votes: 1, follows: 1 }])
  })

  it('have no button for one’s own report', async () => {
    await app.create.issue({ summary: 'Deep hole', at: GREEN, request_type: pothole, reporter: ada })
    const browser = await createLoggedInBrowser(app, ada)

    const { visibleText } = await browser.get(`/report?${at}&type=${pothole}`)

    expect(visibleText).toContain('This is your own report.')
    expect(visibleText).not.toContain('It’s this one Or')
  })

  it('are 404 for an issue that is gone, and 403 for cross-site requests', async () => {
    const issue = await app.create.issue({ summary: 'Deep hole', at: GREEN, reporter: grace })
    const browser = await createLoggedInBrowser(app, ada)

    const answers = [
      await browser.post('/issues/999/same'),
      await browser.post(`/issues/${issue}/same`, {}, { 'sec-fetch-site': 'cross-site' }),
    ]
    const reload = await browser.get(`/issues/${issue}/same`)

    expect(answers.map(({ status }) => status)).toEqual([404, 403])
    expect([reload.status, reload.headers['location']]).toEqual([303, `/issues/${issue}`])
    expect(await votesAndFollows(issue)).toEqual([{ votes: 0, follows: 0 }])
  })
})
