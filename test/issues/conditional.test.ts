import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Client } from '../helpers/client.ts'
import { backdateChanges, LAST_CHANGE, ifModifiedSinceLastChange } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'
import { createDetailedIssue, type DetailedIssue } from './detailed-issue.ts'

const etagOf = async (client: Client, path: string) => String((await client.get(path)).headers['etag'])

const changes: Record<string, (app: ReturnType<typeof useApp>, story: DetailedIssue) => Promise<unknown>> = {
  'a new status': (app, { issue }) => app.db.prisma.issue.update({ where: { id: issue }, data: { status: 'Archived' } }),
  'another assignee': (app, { issue, voter }) =>
    app.db.prisma.issue.update({ where: { id: issue }, data: { assignee_id: voter.id } }),
  'a vote': (app, { issue, reporter }) => app.create.vote({ on: issue, by: reporter }),
  'a vote taken back': (app, { issue }) => app.db.prisma.vote.deleteMany({ where: { issue_id: issue } }),
  'a comment': (app, { issue }) => app.create.comment({ on: issue }),
  'a comment that is hidden': (app, { comment }) =>
    app.db.prisma.comment.update({ where: { id: comment }, data: { moderation_state: 'held' } }),
  'a picture': async (app, { issue }) => {
    const data = { issue_id: issue, full_key: 'full.jpg', content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 }
    await app.db.prisma.medium.create({ data })
    await app.db.execute(sql`SELECT revise_issue(${issue}, TRUE)`)
  },
  'another answer': (app, { issue }) => app.create.formAnswer({ on: issue, question: 'How wide is it?', answer: 'A yard' }),
  'another title of the request type': (app, { requestType }) =>
    app.db.prisma.requestType.update({ where: { id: requestType }, data: { title: 'Hole' } }),
  'another name of the organisation': (app, { organization }) =>
    app.db.prisma.organization.update({ where: { id: organization }, data: { name: 'Public Roads' } }),
}

/** Changes of users show in the body and its ETag, but not in the date, which is that of the issue. */
const userChanges: typeof changes = {
  "the reporter's new name": (app, { reporter }) =>
    app.db.prisma.user.update({ where: { id: reporter.id }, data: { name: 'Ada Lane' } }),
  "a commenter's new name": (app, { voter }) => app.db.prisma.user.update({ where: { id: voter.id }, data: { name: 'Vera Park' } }),
  "the assignee's civic points": (app, { assignee }) =>
    app.db.prisma.user.update({ where: { id: assignee.id }, data: { civic_points: 5 } }),
}

const changeNames = Object.entries(changes)
const allChangeNames = [...changeNames, ...Object.entries(userChanges)]

describe('conditional GET /issues/:id', () => {
  const app = useApp()

  it('returns 304 without a body if nothing changed, by ETag or by date', async () => {
    const { issue } = await createDetailedIssue(app)
    await backdateChanges(app.db)
    const full = await app.as.anonymous.get(`/issues/${issue}`)
    const etag = String(full.headers['etag'])

    const byTag = await app.as.anonymous.get(`/issues/${issue}`, { 'if-none-match': `"other", ${etag}` })
    const byDate = await app.as.anonymous.get(`/issues/${issue}`, ifModifiedSinceLastChange)

    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    expect(full.headers['last-modified']).toBe(LAST_CHANGE)
    expect([byTag.status, byTag.text, byDate.status, byDate.text]).toEqual([304, '', 304, ''])
    expect(byTag.headers).toMatchObject({ etag, 'last-modified': LAST_CHANGE, 'cache-control': 'public, no-cache' })
    expect(byTag.headers['vary']).toBe('Authorization, Cookie, Accept, Accept-Language')
    expect(byTag.headers).not.toHaveProperty('content-type')
  })

  it.each(changeNames)('returns the full response after %s', async (_, change) => {
    const story = await createDetailedIssue(app)
    await backdateChanges(app.db)
    const path = `/issues/${story.issue}`
    const before = await app.as.anonymous.get(path)

    await change(app, story)

    const byTag = await app.as.anonymous.get(path, { 'if-none-match': String(before.headers['etag']) })
    const byDate = await app.as.anonymous.get(path, ifModifiedSinceLastChange)
    const cached = await app.as.anonymous.get(path)
    expect([byTag.status, byDate.status]).toEqual([200, 200])
    expect(byTag.headers['etag']).not.toBe(before.headers['etag'])
    expect(byTag.body).not.toEqual(before.body)
    expect([cached.headers['etag'], cached.body]).toEqual([byTag.headers['etag'], byTag.body])
  })

  it.each(Object.entries(userChanges))('returns another ETag after %s', async (_, change) => {
    const story = await createDetailedIssue(app)
    const etag = await etagOf(app.as.anonymous, `/issues/${story.issue}`)

    await change(app, story)

    expect((await app.as.anonymous.get(`/issues/${story.issue}`, { 'if-none-match': etag })).status).toBe(200)
  })

  it('returns a different ETag to each caller', async () => {
    const { issue, reporter, assignee, voter } = await createDetailedIssue(app)
    const clients = [app.as.anonymous, app.as.user(reporter), app.as.user(assignee), app.as.user(voter)]

    const etags = await Promise.all(clients.map((client) => etagOf(client, `/issues/${issue}`)))

    expect(new Set(etags).size).toBe(4)
    const { headers } = await app.as.user(voter).get(`/issues/${issue}`)
    expect(headers['cache-control']).toBe('private, no-cache')
  })

  it('returns the full response to a caller who became staff of the organisation', async () => {
    const { issue, organization } = await createDetailedIssue(app)
    const newcomer = await app.create.user()
    const client = app.as.user(newcomer)
    await backdateChanges(app.db)
    const etag = await etagOf(client, `/issues/${issue}`)

    await app.db.prisma.organizationMember.create({ data: { organization_id: organization, user_id: newcomer.id } })

    expect((await client.get(`/issues/${issue}`, { 'if-none-match': etag })).status).toBe(200)
    expect((await client.get(`/issues/${issue}`, ifModifiedSinceLastChange)).status).toBe(200)
    expect((await client.get('/issues?details=true', ifModifiedSinceLastChange)).status).toBe(200)
  })

  it('does not reveal that an anonymous reporter changed their name', async () => {
    const { issue, reporter, assignee } = await createDetailedIssue(app)
    await app.db.prisma.issue.update({ where: { id: issue }, data: { anonymous: true } })
    await backdateChanges(app.db)
    const path = `/issues/${issue}`
    const [forAll, forStaff] = [await etagOf(app.as.anonymous, path), await etagOf(app.as.user(assignee), path)]

    await app.db.prisma.user.update({ where: { id: reporter.id }, data: { name: 'Another Name' } })

    const { status, headers } = await app.as.anonymous.get(path, { 'if-none-match': forAll })
    expect([status, headers['last-modified']]).toEqual([304, LAST_CHANGE])
    expect((await app.as.user(assignee).get(path, { 'if-none-match': forStaff })).status).toBe(200)
  })

  it('returns the present issue if a restored database repeats its revision', async () => {
    const id = await app.create.issue({ summary: 'Bench' })
    await app.as.anonymous.get(`/issues/${id}`)
    await withoutTriggers(app.db, "UPDATE issues SET summary = 'Lamp', changed_at = changed_at - interval '1 hour'")

    const { body } = await app.as.anonymous.get(`/issues/${id}`)

    expect(body).toMatchObject({ summary: 'Lamp' })
  })

  it('sends no Last-Modified within a minute of a change', async () => {
    const { issue } = await createDetailedIssue(app)
    const path = `/issues/${issue}`

    const { headers, status } = await app.as.anonymous.get(path, {
      'if-modified-since': new Date(Date.now() + 5_000).toUTCString(),
    })

    expect([status, headers['last-modified']]).toEqual([200, undefined])
  })

  it.each([
    ['a date before the change', { 'if-modified-since': 'Fri, 01 May 2026 09:59:59 GMT' }],
    ['a date that is none', { 'if-modified-since': 'yesterday' }],
    ['another ETag, whatever the date', { 'if-none-match': 'W/"other"', ...ifModifiedSinceLastChange }],
    ['a reload', { 'cache-control': 'no-cache', ...ifModifiedSinceLastChange }],
  ])('returns the full response with %s', async (_, headers) => {
    const { issue } = await createDetailedIssue(app)
    await backdateChanges(app.db)

    expect((await app.as.anonymous.get(`/issues/${issue}`, headers)).status).toBe(200)
  })
})

describe('conditional GET /issues', () => {
  const app = useApp()

  it('returns 304 without a body if nothing changed', async () => {
    await createDetailedIssue(app)
    const { headers } = await app.as.anonymous.get('/issues')

    const byTag = await app.as.anonymous.get('/issues', { 'if-none-match': String(headers['etag']) })

    expect([byTag.status, byTag.text, byTag.headers['etag']]).toEqual([304, '', headers['etag']])
  })

  it.each(allChangeNames)('returns the full response with details after %s', async (_, change) => {
    const story = await createDetailedIssue(app)
    await backdateChanges(app.db)
    const path = '/issues?details=true&status=open,closed,archived'
    const etag = await etagOf(app.as.anonymous, path)

    await change(app, story)

    const byTag = await app.as.anonymous.get(path, { 'if-none-match': etag })
    const byDate = await app.as.anonymous.get(path, ifModifiedSinceLastChange)
    expect([byTag.status, byDate.status]).toEqual([200, 200])
    expect(byTag.headers['etag']).not.toBe(etag)
  })

  it('changes the ETag if an issue is added, moved or hidden, even on another page', async () => {
    const first = await app.create.issue()
    const path = '/issues?per_page=1'
    const etags = [await etagOf(app.as.anonymous, path)]

    await app.create.issue({ created_at: '2025-01-01T00:00:00Z' })
    etags.push(await etagOf(app.as.anonymous, path))
    await app.db.prisma.issue.update({ where: { id: first }, data: { lng: -72 } })
    etags.push(await etagOf(app.as.anonymous, path))
    await app.db.prisma.issue.update({ where: { id: first }, data: { moderation_state: 'held' } })
    etags.push(await etagOf(app.as.anonymous, path))

    expect(new Set(etags).size).toBe(4)
    expect(await etagOf(app.as.anonymous, path)).toBe(etags.at(-1))
  })
})
