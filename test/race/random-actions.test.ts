import { beforeAll, describe, expect, it } from 'vitest'

import { createRandom } from '../../prisma/seeds/random.ts'
import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/servers.ts'
import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { readCounts, deadlocks } from './concurrent-users.ts'
import { performActions, type ActionLog, createScene, type Scene } from './random-actions.ts'
import { queryRows } from '../helpers/query-rows.ts'

const SEED = 20_261_120
/** The embedded engine serializes requests, so larger numbers only take longer there. */
const ACTIONS_PER_USER = engine === 'server' ? 20 : 5

describe('twenty users who act at random on five issues concurrently', () => {
  const app = useApp({ keepRows: true })
  stopTimers()
  let scene: Scene
  let log: ActionLog
  let before: number
  beforeAll(async () => {
    before = await deadlocks(app)
    scene = await createScene(app)
    log = await performActions(app, scene, createRandom(SEED, 'storm'), ACTIONS_PER_USER)
  })

  it('get only expected statuses', () => {
    expect(Object.keys(log.answers).filter((name) => !['201', '204', '403', '422 base'].includes(name))).toEqual([])
  })

  it('cause no deadlock', async () => {
    expect(await deadlocks(app)).toBe(before)
  })

  it('leave the confirmed votes, follows, comments and status changes on every issue', async () => {
    const of = async (issue: number) => {
      const { body } = await app.as.anonymous.get(`/issues/${issue}?details=true`)
      const { status, rating, vote_count, comment_count, comments } = body as Record<string, unknown>
      const { history, ...counts } = (await readCounts(app, issue)) ?? {}
      const steps = ((history ?? []) as string[]).map((step) => step.split(' to '))
      const reported = { status, rating, vote_count, comment_count, comments: (comments as unknown[]).length }
      return { reported, counts: { ...counts, events: undefined, points: undefined }, steps }
    }

    for (const issue of scene.issues) {
      const { reported, counts, steps } = await of(issue)

      const { votes, follows, comments, moves, acknowledged } = log.issues.get(issue) ?? {}
      const rating = 1 + (votes?.size ?? 0) + Number(acknowledged)
      const status = steps.at(-1)?.[1] ?? 'Open'
      const [vote_count, follow_count] = [votes?.size, follows?.size]
      expect(counts).toEqual({ status, vote_count, rating, votes: vote_count, follows: follow_count, comments })
      expect(reported).toEqual({ status, rating: String(rating), vote_count, comment_count: comments, comments })
      expect(steps.map(([from]) => from)).toEqual(['Open', ...steps.map(([, to]) => to)].slice(0, moves))
    }
  })

  it('have the points and the public counts of their actions', async () => {
    const { issue: own, by } = scene.anonymous
    for (const { id } of scene.people) {
      const { body } = await app.as.anonymous.get(`/users/${id}`)

      const { reports = 0, comments = 0, closed = [], votes = new Set(), follows = new Set() } = log.people.get(id) ?? {}
      // Actions of an anonymous reporter on their own issue are not counted, except comments, which show their name.
      const countVisible = (ids: ReadonlySet<unknown>) => ids.size - Number(id === by && ids.has(own))
      expect(body).toMatchObject({
        ...{
          civic_points: 10 * reports + 5 * comments + 5 * countVisible(votes),
          reported_issue_count: reports,
          comments_count: comments,
        },
        ...{ voted_issue_count: countVisible(votes), following_issue_count: countVisible(follows) },
        closed_issue_count: closed.filter((issue) => !(id === by && issue === own)).length,
      })
    }
  })

  it('record exactly one event for each action', async () => {
    const events = await queryRows<{ type: string; count: number }>(
      app.db,
      sql`
      SELECT e.type, count(*)::integer AS count FROM events e GROUP BY e.type ORDER BY e.type`,
    )

    expect(Object.fromEntries(events.map(({ type, count }) => [type, count]))).toEqual(log.events)
  })
})
