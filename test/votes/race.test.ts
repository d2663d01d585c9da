import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { engine } from '../helpers/servers.ts'
import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { findViewer, type Viewer } from '../../src/http/identity/viewer-queries.ts'
import { castVote, withdrawVote } from '../../src/votes/vote.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** test/race has many users and one issue; here one user sends many requests. */
const app = useApp()
stopTimers()
const TIMES = engine === 'server' ? 50 : 12
/** Each time sends two changes of one issue, of which twenty may wait. */
const TIMES_ON_ONE_ISSUE = 10

const send = (person: TestUser, method: 'POST' | 'DELETE', issue: number, what: 'vote' | 'follow') =>
  app.as.user(person).send(method, `/api/v2/issues/${issue}/${what}`)
const statuses = (answers: readonly { readonly status: number }[]) => [...new Set(answers.map(({ status }) => status))].toSorted()

const listWrongCounts = () =>
  queryRows(
    app.db,
    sql`
    SELECT i.id FROM issues i WHERE i.vote_count <> (SELECT count(*) FROM votes v WHERE v.issue_id = i.id)
      OR i.vote_count <> (SELECT count(*) FILTER (WHERE e.type = 'issue.voted') - count(*) FILTER (WHERE e.type = 'issue.unvoted')
        FROM events e WHERE e.subject_type = 'issue' AND e.subject_id = i.id)
      OR (SELECT count(*) FROM follows f WHERE f.issue_id = i.id) <>
        (SELECT count(*) FILTER (WHERE e.type = 'issue.followed') - count(*) FILTER (WHERE e.type = 'issue.unfollowed')
          FROM events e WHERE e.subject_type = 'issue' AND e.subject_id = i.id)
    UNION ALL
    SELECT u.id FROM users u WHERE u.civic_points <> 5 * (
      SELECT count(*) FROM votes v JOIN issues i ON i.id = v.issue_id
      WHERE v.user_id = u.id AND (i.anonymous AND i.reporter_id = u.id) IS NOT TRUE)`,
  )
const deadlocks = async () =>
  (await queryRows(app.db, sql`SELECT d.deadlocks FROM pg_stat_database d WHERE d.datname = current_database()`))[0]

describe('a user who votes, follows and undoes both many times concurrently', () => {
  it('ends with at most one vote and one follow, and the matching points', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const before = await deadlocks()

    const answers = await Promise.all(
      Array.from({ length: TIMES_ON_ONE_ISSUE }, (_, n) =>
        Promise.all((['vote', 'follow'] as const).map((what) => send(ada, n % 2 ? 'DELETE' : 'POST', issue, what))),
      ),
    )

    expect(statuses(answers.map(([vote]) => vote as { status: number }))).toEqual(expect.arrayContaining([201]))
    expect(statuses(answers.flat()).filter((status) => ![201, 204, 422].includes(status))).toEqual([])
    expect(await listWrongCounts()).toEqual([])
    expect(await deadlocks()).toEqual(before)
  })

  it('has the points of all issues', async () => {
    const ada = await app.create.user()
    const own = await app.create.issue({ reporter: ada, anonymous: true })
    const issues = [own, ...(await Promise.all(Array.from({ length: TIMES - 1 }, () => app.create.issue())))]
    const before = await deadlocks()

    const voted = await Promise.all(issues.map((issue) => send(ada, 'POST', issue, 'vote')))
    const points = (await app.as.anonymous.get(`/users/${ada.id}`)).body
    const withdrawn = await Promise.all(issues.map((issue) => send(ada, 'DELETE', issue, 'vote')))

    expect([statuses(voted), statuses(withdrawn)]).toEqual([[201], [204]])
    expect(points).toMatchObject({ civic_points: 5 * (TIMES - 1), voted_issue_count: TIMES - 1 })
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).body).toMatchObject({ civic_points: 0, voted_issue_count: 0 })
    expect(await listWrongCounts()).toEqual([])
    expect(await deadlocks()).toEqual(before)
  })
})

describe('an account that is deleted while it votes', () => {
  it('gets 401 from the vote and from its withdrawal, and no vote is left', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const voter = (await findViewer(app.db, ada.id)) as Viewer
    await app.db.prisma.user.delete({ where: { id: ada.id } })

    const attempts = [
      () => castVote(app.db, { issue_id: issue, by: voter, now: new Date(), request_id: 'test' }),
      () => withdrawVote(app.db, { issue_id: issue, by: voter, request_id: 'test' }),
    ]
    const ends = await Promise.allSettled(attempts.map((attempt) => attempt()))

    expect(ends).toMatchObject(attempts.map(() => ({ status: 'rejected', reason: { status: 401 } })))
    expect(await listWrongCounts()).toEqual([])
  })
})
