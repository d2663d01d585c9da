import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createDetailedIssue, type DetailedIssue } from '../../issues/detailed-issue.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { backdateChanges } from '../../helpers/backdate-changes.ts'
import { stopTimers } from '../../helpers/stopped-timers.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
stopTimers()

interface Hidden extends DetailedIssue {
  readonly place: number
  readonly pendingIssue: number
  readonly pendingComment: number
  readonly unnamed: number
}

async function createHidden(): Promise<Hidden> {
  const story = await createDetailedIssue(app)
  const { issue, reporter, voter } = story
  await app.db.prisma.user.update({ where: { id: reporter.id }, data: { share_location: true } })
  const { id: place } = await app.create.place({ url_name: 'new-haven' })
  const pendingIssue = await app.create.issue({ reporter, moderation_state: 'held' })
  await app.create.comment({ on: pendingIssue, by: voter })
  const pendingComment = await app.create.comment({ on: issue, by: voter, moderation_state: 'held' })
  const unnamed = await app.create.issue({ reporter, anonymous: true })
  await backdateChanges(app.db)
  return { ...story, place, pendingIssue, pendingComment, unnamed }
}

const here = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const issuePaths = ({ issue, unnamed }: Hidden) => [
  '/api/v2/issues',
  '/api/v2/issues?details=true&status=open,closed',
  '/api/v2/issues?place_url=new-haven',
  ...[issue, unnamed].flatMap((id) => [`/api/v2/issues/${id}`, `/api/v2/issues/${id}/comments`, `/issues/${id}`]),
  '/places/new-haven',
  '/feeds/issues.atom',
  '/feeds/issues.geojson?place_url=new-haven&per_page=100',
]
const allPaths = (hidden: Hidden) => [
  ...issuePaths(hidden),
  ...[hidden.reporter, hidden.voter, hidden.assignee].map(({ id }) => `/api/v2/users/${id}`),
  `/api/v2/users?${here}`,
  `/api/v2/places?${here}`,
  '/api/v2/places/new-haven',
  `/api/v2/issues/new?${here}`,
  `/api/v2/request_types/${hidden.requestType}`,
  '/places/new-haven/report',
]

const readResponses = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, headers, text } = await app.as.anonymous.send('GET', path)
      // The cursor has the present time and the number of all transactions, those of background jobs too.
      const { date: _date, 'x-request-id': _id, ratelimit: _limit, ...others } = headers
      const { 'x-changes-cursor': _cursor, 'server-timing': _position, ...rest } = others
      return { path, status, headers: rest, text }
    }),
  )

type Change = (hidden: Hidden) => Promise<unknown>
const user = (id: number, data: Parameters<typeof app.db.prisma.user.update>[0]['data']) =>
  app.db.prisma.user.update({ where: { id }, data })
const issue = (id: number, data: Parameters<typeof app.db.prisma.issue.update>[0]['data']) =>
  app.db.prisma.issue.update({ where: { id }, data })

const hiddenFromAll: Record<string, Change> = {
  'a pending comment is written': (all) => app.create.comment({ on: all.issue, by: all.reporter, moderation_state: 'held' }),
  'a pending comment is edited': ({ pendingComment: id }) =>
    app.db.prisma.comment.update({ where: { id }, data: { comment: 'Other' } }),
  'a pending comment is rejected': ({ pendingComment: id }) =>
    app.db.prisma.comment.update({ where: { id }, data: { moderation_state: 'rejected' } }),
  'a pending comment gets a picture': ({ issue: issue_id, pendingComment: comment_id }) =>
    app.db.prisma.medium.create({
      data: { issue_id, comment_id, full_key: 'full.jpg', content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 },
    }),
  'a pending comment is deleted': ({ pendingComment: id }) => app.db.prisma.comment.delete({ where: { id } }),
  'a private answer is written': (all) =>
    app.create.formAnswer({ on: all.issue, question: 'Your name?', answer: 'Ada', answer_kept_private: true }),
  'private answers are deleted': () => app.db.prisma.issueAnswer.deleteMany({ where: { answer_kept_private: true } }),
  'a pending report comes in': ({ reporter }) => app.create.issue({ reporter, moderation_state: 'held' }),
  'a pending report is edited': ({ pendingIssue }) => issue(pendingIssue, { summary: 'Something else', anonymous: true }),
  'a pending report is rejected': ({ pendingIssue }) => issue(pendingIssue, { moderation_state: 'rejected' }),
  'a pending report is deleted': ({ pendingIssue: id }) => app.db.prisma.issue.delete({ where: { id } }),
  'a user comments on a pending report': (all) => app.create.comment({ on: all.pendingIssue, by: all.voter }),
  'a user votes for a pending report': (all) => app.create.vote({ on: all.pendingIssue, by: all.voter }),
  'the reporter follows a pending report': (all) => app.create.follow({ on: all.pendingIssue, by: all.reporter }),
  'an official closes a pending report': ({ pendingIssue: issue_id, assignee }) =>
    app.db.prisma.statusChange.create({ data: { issue_id, actor_id: assignee.id, from_status: 'Open', to_status: 'Closed' } }),
  'the reporter follows an anonymous report of their own': (all) => app.create.follow({ on: all.unnamed, by: all.reporter }),
  'an anonymous report gets another reporter': ({ unnamed, voter }) => issue(unnamed, { reporter_id: voter.id }),
  'device and locale of a report are stored': (all) => issue(all.issue, { device_id: 'x', locale: 'fr' }),
  'the reporter changes the password': ({ reporter }) => user(reporter.id, { password_hash: 'new', credentials_version: 2 }),
  'the reporter changes the home place': ({ reporter, place }) => user(reporter.id, { home_place_id: place, locale: 'fr' }),
  'the reporter adds an address': ({ reporter: { id } }) =>
    app.db.prisma.emailAddress.create({ data: { user_id: id, email: 'b@example.org' } }),
  'the reporter watches an area': (all) => app.create.watchArea({ of: all.reporter, area: square(GREEN) }),
  'a user flags a report': (all) => app.db.prisma.flag.create({ data: { issue_id: all.issue, user_id: all.voter.id } }),
  'an organisation starts to review everything': ({ organization: id }) =>
    app.db.prisma.organization.update({ where: { id }, data: { hold_everything: true } }),
  'a place gets an import key': ({ place: id }) => app.db.prisma.place.update({ where: { id }, data: { import_key: 'file:1' } }),
}

describe('responses to other callers', () => {
  it.each(Object.entries(hiddenFromAll))('do not change if %s', async (_, change) => {
    const hidden = await createHidden()
    const before = await readResponses(allPaths(hidden))

    await change(hidden)

    expect(await readResponses(allPaths(hidden))).toEqual(before)
    expect(before.filter(({ headers }) => !headers['etag'])).toEqual([])
  })

  it('do not change if a user follows an issue', async () => {
    const hidden = await createHidden()
    const before = await readResponses(issuePaths(hidden))

    await app.create.follow({ on: hidden.issue, by: hidden.reporter })

    expect(await readResponses(issuePaths(hidden))).toEqual(before)
  })

  it('do not change if a user reports an issue anonymously', async () => {
    const hidden = await createHidden()
    const { reporter } = hidden
    const paths = [`/api/v2/users/${reporter.id}`]
    const before = await readResponses(paths)

    const unnamed = await app.create.issue({ reporter, anonymous: true })
    await app.create.follow({ on: unnamed, by: reporter })
    await app.create.vote({ on: unnamed, by: reporter })
    await issue(unnamed, { moderation_state: 'held' })
    await issue(unnamed, { moderation_state: 'passed' })
    await app.db.prisma.issue.delete({ where: { id: unnamed } })

    expect(await readResponses(paths)).toEqual(before)
  })
})

describe('responses to privileged callers', () => {
  const etagOf = async (client: (typeof app.as)['anonymous'], id: number) =>
    String((await client.get(`/issues/${id}`)).headers['etag'])

  it('change: private answers for staff, a pending report for its reporter', async () => {
    const { issue: id, pendingIssue, reporter, assignee } = await createHidden()
    const [staff, author] = [app.as.user(assignee), app.as.user(reporter)]
    const before = [await etagOf(staff, id), await etagOf(author, pendingIssue)]

    await app.create.formAnswer({ on: id, question: 'Your name?', answer: 'Ada', answer_kept_private: true })
    await issue(pendingIssue, { summary: 'Something else' })

    const [ofStaff, ofAuthor] = [
      await staff.get(`/issues/${id}`, { 'if-none-match': String(before[0]) }),
      await author.get(`/issues/${pendingIssue}`, { 'if-none-match': String(before[1]) }),
    ]
    expect([ofStaff.status, ofAuthor.status]).toEqual([200, 200])
  })

  it('change with the caller’s own follow, by ETag', async () => {
    const { issue: id, voter, reporter } = await createHidden()
    const [own, other] = [app.as.user(reporter), app.as.user(voter)]
    const [ofOwn, ofOther] = [await etagOf(own, id), await etagOf(other, id)]

    await app.db.execute(sql`INSERT INTO follows (issue_id, user_id) VALUES (${id}, ${reporter.id})`)

    expect((await own.get(`/issues/${id}`, { 'if-none-match': ofOwn })).status).toBe(200)
    expect((await other.get(`/issues/${id}`, { 'if-none-match': ofOther })).status).toBe(304)
  })
})
