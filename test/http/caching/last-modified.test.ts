import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createDetailedIssue, type DetailedIssue } from '../../issues/detailed-issue.ts'
import { GREEN } from '../../helpers/factories.ts'
import { backdateChanges } from '../../helpers/backdate-changes.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()

interface Old extends DetailedIssue {
  readonly place: number
  readonly other: number
}

/** Creates an issue with its surroundings, all unchanged for a long time. */
async function createOld(): Promise<Old> {
  const story = await createDetailedIssue(app)
  await app.db.prisma.user.update({ where: { id: story.reporter.id }, data: { share_location: true } })
  const { id: place } = await app.create.place({ url_name: 'new-haven' })
  const other = await app.create.issue({ reporter: story.reporter })
  await app.create.follow({ on: other, by: story.reporter })
  await backdateChanges(app.db)
  return { ...story, place, other }
}

const here = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const paths = {
  list: () => '/api/v2/issues?details=true&status=open,closed',
  'list of a place': () => '/api/v2/issues?place_url=new-haven&status=open,closed',
  issue: ({ issue }: Old) => `/api/v2/issues/${issue}`,
  comments: ({ issue }: Old) => `/api/v2/issues/${issue}/comments`,
  reporter: ({ reporter }: Old) => `/api/v2/users/${reporter.id}`,
  voter: ({ voter }: Old) => `/api/v2/users/${voter.id}`,
  users: () => `/api/v2/users?${here}`,
  places: () => `/api/v2/places?${here}`,
  place: () => '/api/v2/places/new-haven',
  form: () => `/api/v2/issues/new?${here}`,
  type: ({ requestType }: Old) => `/api/v2/request_types/${requestType}`,
  'page of the issue': ({ issue }: Old) => `/issues/${issue}`,
  'page of the place': () => '/places/new-haven',
  'page to report': () => '/places/new-haven/report',
}
type Name = keyof typeof paths
/** Lists, users and pages have an ETag only. */
const datedNames = ['issue', 'comments', 'place', 'type'] as const satisfies readonly Name[]

/** Changes that show in other responses as well; test/issues/conditional.test.ts has the changes of the issue itself. */
const changes: Record<string, readonly [shows: Name[], change: (old: Old) => Promise<unknown>]> = {
  'a new report': [
    ['list', 'list of a place', 'reporter', 'users', 'page of the place', 'page of the issue'],
    ({ reporter }) => app.create.issue({ reporter }),
  ],
  'a report that is hidden': [
    ['list', 'list of a place', 'reporter', 'users', 'page of the place', 'page of the issue'],
    ({ other: id }) => app.db.prisma.issue.update({ where: { id }, data: { moderation_state: 'held' } }),
  ],
  'a report that is deleted': [
    ['list', 'list of a place', 'reporter', 'users', 'page of the place', 'page of the issue'],
    ({ other: id }) => app.db.prisma.issue.delete({ where: { id } }),
  ],
  'a report that becomes anonymous': [
    ['list', 'list of a place', 'reporter', 'users'],
    ({ other: id }) => app.db.prisma.issue.update({ where: { id }, data: { anonymous: true } }),
  ],
  'a comment': [
    ['list', 'issue', 'comments', 'voter', 'page of the issue'],
    ({ issue, voter }) =>
      app.as.user(voter).send('POST', `/api/v2/issues/${issue}/comments`, { body: { comment: 'Still there.' } }),
  ],
  'a comment that is pending review': [
    ['list', 'issue', 'comments', 'voter'],
    ({ comment: id }) => app.db.prisma.comment.update({ where: { id }, data: { moderation_state: 'held' } }),
  ],
  'a comment that is deleted': [
    ['list', 'issue', 'comments', 'voter'],
    ({ comment: id }) => app.db.prisma.comment.delete({ where: { id } }),
  ],
  'a removed vote': [
    ['list', 'issue', 'voter'],
    ({ issue, voter }) => app.as.user(voter).send('DELETE', `/api/v2/issues/${issue}/vote`),
  ],
  'a follow': [['voter'], ({ issue, voter }) => app.create.follow({ on: issue, by: voter })],
  'a removed follow': [['reporter', 'users'], () => app.db.prisma.follow.deleteMany({})],
  'a closing': [
    ['voter'],
    ({ other, voter }) => app.as.user(voter).send('POST', `/api/v2/issues/${other}/close`, { body: { comment: 'Done.' } }),
  ],
  'a new member of an organisation': [
    ['voter'],
    ({ voter, organization }) =>
      app.db.prisma.organizationMember.create({ data: { organization_id: organization, user_id: voter.id } }),
  ],
  'a new name': [
    ['list', 'voter', 'page of the issue'],
    ({ voter: { id } }) => app.db.prisma.user.update({ where: { id }, data: { name: 'Vera Park' } }),
  ],
  'a user who is deleted': [['list', 'issue', 'users'], ({ reporter: { id } }) => app.db.prisma.user.delete({ where: { id } })],
  'a user who stops sharing the location': [
    ['users'],
    ({ reporter: { id } }) => app.db.prisma.user.update({ where: { id }, data: { share_location: false } }),
  ],
  'a place that is renamed': [
    ['places', 'place', 'page of the place', 'page of the issue', 'page to report'],
    ({ place: id }) => app.db.prisma.place.update({ where: { id }, data: { name: 'Elm City' } }),
  ],
  'a place with another boundary': [
    ['list of a place', 'places', 'page of the place'],
    ({ place }) =>
      queryRows(
        app.db,
        sql`UPDATE places SET boundary = ST_Translate(boundary, 1, 0), center_lng = center_lng + 1 WHERE id = ${place}`,
      ),
  ],
  'a place that is deleted': [['places'], ({ place: id }) => app.db.prisma.place.delete({ where: { id } })],
  'another title of the type': [
    ['list', 'issue', 'form', 'type', 'page to report'],
    ({ requestType: id }) => app.db.prisma.requestType.update({ where: { id }, data: { title: 'Hole' } }),
  ],
  'another question of the type': [
    ['type', 'page to report'],
    ({ requestType }) =>
      app.db.prisma.requestTypeQuestion.create({ data: { request_type_id: requestType, question: 'Why?', question_type: 'text' } }),
  ],
  'a type that is deleted': [
    ['list', 'issue', 'form', 'page to report'],
    ({ requestType: id }) => app.db.prisma.requestType.delete({ where: { id } }),
  ],
  'an organisation that works elsewhere': [
    ['form', 'page to report'],
    ({ organization }) =>
      queryRows(app.db, sql`UPDATE organizations SET area = ST_Translate(area, 5, 0) WHERE id = ${organization}`),
  ],
}

const get = (path: string, headers: Record<string, string> = {}) => app.as.anonymous.send('GET', path, { headers })

describe('Last-Modified', () => {
  it('is sent with single things and leads to 304', async () => {
    const old = await createOld()

    for (const name of datedNames) {
      const full = await get(paths[name](old))
      const again = await get(paths[name](old), { 'if-modified-since': String(full.headers['last-modified']) })
      expect([name, full.status, full.headers['last-modified'], again.status]).toEqual([
        name,
        200,
        expect.stringMatching(/^\w{3}, 01 (Apr|May) 2026 10:00:00 GMT$/),
        304,
      ])
    }
  })

  it.each([
    ['61 seconds', true],
    ['59 seconds', false],
  ])('of a change %s ago: sent is %s', async (age, isSent) => {
    const old = await createOld()
    await backdateChanges(app.db, `now() - interval '${age}'`)

    const answers = await Promise.all(datedNames.map((name) => get(paths[name](old))))

    const isDated = answers.map(({ headers }) => headers['last-modified'] !== undefined)
    expect(isDated).toEqual(datedNames.map(() => isSent))
  })

  it('of a list is the second after which the process has seen no other version, once that is a minute ago', async () => {
    const { reporter } = await createOld()
    let now = new Date('2026-06-01T10:00:00.900Z')
    const { anonymous } = await appOn(app.db, {}, { clock: () => now })
    const at = async (time: string, headers: Record<string, string> = {}) => {
      now = new Date(`2026-06-01T${time}Z`)
      const answer = await anonymous.get('/issues', headers)
      return [answer.status, answer.headers['last-modified']]
    }
    const FIRST = 'Mon, 01 Jun 2026 10:00:01 GMT'

    expect(await at('10:00:00.900')).toEqual([200, undefined])
    expect(await at('10:01:00.900')).toEqual([200, undefined])
    expect(await at('10:01:01')).toEqual([200, FIRST])
    expect(await at('10:01:02', { 'if-modified-since': FIRST })).toEqual([304, FIRST])
    await app.create.issue({ reporter })
    expect(await at('10:01:03', { 'if-modified-since': FIRST })).toEqual([200, undefined])
    expect(await at('10:03:00', { 'if-modified-since': FIRST })).toEqual([200, 'Mon, 01 Jun 2026 10:01:04 GMT'])
  })

  it('is not sent to callers with credentials, who have an ETag', async () => {
    const old = await createOld()

    const { headers } = await app.as.user(old.reporter).get(`/issues/${old.issue}`)

    expect([typeof headers['etag'], headers['last-modified']]).toEqual(['string', undefined])
  })

  it.each(Object.entries(changes))('and ETag change with %s', async (_, [shows, change]) => {
    const old = await createOld()
    const before = await Promise.all(shows.map((name) => get(paths[name](old))))

    await change(old)

    for (const [n, name] of shows.entries()) {
      const path = paths[name](old)
      const byTag = await get(path, { 'if-none-match': String(before[n]?.headers['etag']) })
      const byDate = await get(path, { 'if-modified-since': String(before[n]?.headers['last-modified']) })
      expect([name, byTag.status, byDate.status]).toEqual([name, 200, 200])
      expect([name, byTag.text]).not.toEqual([name, before[n]?.text])
    }
  })

  it('is not sent for geocoded lists, watch areas and failures', async () => {
    const { reporter } = await createOld()
    const token = await app.create.watchArea({ of: reporter })
    await app.db.prisma.place.deleteMany({})

    const answers = await Promise.all(
      [`/issues?watcher_token=${token}`, '/places/new-haven', '/places/nowhere', '/users/999', '/issues?sort=x'].map((path) =>
        app.as.anonymous.get(path),
      ),
    )

    expect(answers.map(({ status, headers }) => [status, headers['last-modified']])).toEqual([
      [200, undefined],
      [404, undefined],
      [404, undefined],
      [404, undefined],
      [422, undefined],
    ])
  })

  it('is not sent for lists with replicas, which lag differently', async () => {
    await createOld()
    let now = new Date()
    const { anonymous } = await appOn(app.db, {}, { db: { ...app.db, readsMayLag: true }, clock: () => now })

    await anonymous.get('/issues')
    now = new Date(now.getTime() + 3_600_000)
    const { headers } = await anonymous.get('/issues')

    expect(headers['last-modified']).toBeUndefined()
  })
})
