import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

describe('GET /issues/:id/flag and /comments/:id/flag', () => {
  const app = useApp()

  it('explains flags and links back to the content', async () => {
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue })

    const issuePage = await app.as.anonymous.get(`/issues/${issue}/flag`)
    const commentPage = await app.as.anonymous.get(`/comments/${comment}/flag`)

    expect([issuePage.status, commentPage.status]).toEqual([200, 200])
    expect(issuePage.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(issuePage.text).toContain('<h1>Flag this issue</h1>')
    expect(issuePage.text).toContain(`href="/issues/${issue}"`)
    expect(commentPage.text).toContain(`href="/issues/${issue}#comment-${comment}"`)
  })

  it('allows its style sheet in the content security policy', async () => {
    const issue = await app.create.issue()

    const { headers } = await app.as.anonymous.get(`/issues/${issue}/flag`)

    expect(headers['content-security-policy']).toContain("style-src 'self'")
  })

  it('returns 404 for unknown or pending content, and for comments of a pending issue', async () => {
    const issue = await app.create.issue()
    const pendingId = await app.create.issue({ moderation_state: 'held' })
    const pendingComment = await app.create.comment({ on: issue, moderation_state: 'held' })
    const commentOfPending = await app.create.comment({ on: pendingId })

    const paths = [`/issues/${pendingId}/flag`, '/issues/999/flag', '/issues/x/flag', `/comments/${pendingComment}/flag`]
    const answers = await Promise.all(
      [...paths, `/comments/${commentOfPending}/flag`, '/comments/999/flag'].map((path) => app.as.anonymous.get(path)),
    )

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect(answers.map(({ headers }) => headers['content-type'])).toEqual(Array(6).fill('application/json; charset=utf-8'))
  })

  it('returns 200 to the author and moderators of pending content', async () => {
    const ada = await app.create.user()
    const other = await app.create.user()
    const organization = await app.create.organization()
    const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    const pendingId = await app.create.issue({ reporter: ada, moderation_state: 'held' })
    const comment = await app.create.comment({ on: await app.create.issue(), by: ada, moderation_state: 'held' })

    const statuses = async (path: string) =>
      Promise.all([ada, moderator, other].map(async (person) => (await app.as.user(person).get(path)).status))

    expect(await statuses(`/issues/${pendingId}/flag`)).toEqual([200, 200, 404])
    expect(await statuses(`/comments/${comment}/flag`)).toEqual([200, 200, 404])
  })

  it('applies the rules of the API: requires a User-Agent and counts for the rate limit', async () => {
    const issue = await app.create.issue()

    const unnamed = await app.as.anonymous.get(`/issues/${issue}/flag`, { 'user-agent': '' })
    const { headers } = await app.as.anonymous.get(`/issues/${issue}/flag`)

    expect(unnamed.status).toBe(403)
    expect(headers.ratelimit).toMatch(/^"default";r=\d+/)
  })
})
