import { describe, expect, test } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

describe('the pages behind flag_url', () => {
  const it = useApp()

  test('explain flags, and lead back to what would be flagged', async () => {
    const issue = await it.given.issue()
    const comment = await it.given.comment({ on: issue })

    const ofIssue = await it.as.nobody.get(`/issues/${issue}/flag`)
    const ofComment = await it.as.nobody.get(`/comments/${comment}/flag`)

    expect([ofIssue.status, ofComment.status]).toEqual([200, 200])
    expect(ofIssue.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(ofIssue.text).toContain('<h1>Flag this issue</h1>')
    expect(ofIssue.text).toContain(`href="/issues/${issue}"`)
    expect(ofComment.text).toContain(`href="/issues/${issue}#comment-${comment}"`)
  })

  test('may load their style, under the API as well', async () => {
    const issue = await it.given.issue()

    const { headers } = await it.as.nobody.get(`/issues/${issue}/flag`)

    expect(headers['content-security-policy']).toContain("style-src 'self'")
  })

  test('are 404 for what is unknown or held, and for comments of what is held', async () => {
    const issue = await it.given.issue()
    const held = await it.given.issue({ moderation_state: 'held' })
    const heldComment = await it.given.comment({ on: issue, moderation_state: 'held' })
    const commentOfHeld = await it.given.comment({ on: held })

    const paths = [`/issues/${held}/flag`, '/issues/999/flag', '/issues/x/flag', `/comments/${heldComment}/flag`]
    const answers = await Promise.all(
      [...paths, `/comments/${commentOfHeld}/flag`, '/comments/999/flag'].map((path) => it.as.nobody.get(path)),
    )

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect(answers.map(({ headers }) => headers['content-type'])).toEqual(Array(6).fill('application/json; charset=utf-8'))
  })

  test('are there for the author of a held report or comment, and for moderators', async () => {
    const ada = await it.given.user()
    const other = await it.given.user()
    const organization = await it.given.organization()
    const moderator = await it.given.user({ memberOf: [{ organization, role: 'moderator' }] })
    const held = await it.given.issue({ reporter: ada, moderation_state: 'held' })
    const comment = await it.given.comment({ on: await it.given.issue(), by: ada, moderation_state: 'held' })

    const statuses = async (path: string) =>
      Promise.all([ada, moderator, other].map(async (person) => (await it.as.user(person).get(path)).status))

    expect(await statuses(`/issues/${held}/flag`)).toEqual([200, 200, 404])
    expect(await statuses(`/comments/${comment}/flag`)).toEqual([200, 200, 404])
  })

  test('are under the rules of the API: a client says who it is, and is counted', async () => {
    const issue = await it.given.issue()

    const unnamed = await it.as.nobody.get(`/issues/${issue}/flag`, { 'user-agent': '' })
    const { headers } = await it.as.nobody.get(`/issues/${issue}/flag`)

    expect(unnamed.status).toBe(403)
    expect(headers.ratelimit).toMatch(/^"default";r=\d+/)
  })
})
