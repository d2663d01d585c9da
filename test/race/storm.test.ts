import { beforeAll, describe, expect, it } from 'vitest'

import { openChance } from '../../prisma/seeds/chance.ts'
import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'
import { countsOf, deadlocks } from './crowd.ts'
import { blow, type Blown, givenStorm, type Storm } from './storm.ts'
import { queryRows } from '../helpers/query-rows.ts'

const SEED = 20_261_120
/** The embedded engine does one thing after the other: there, more of them only take longer. */
const DEEDS_OF_EACH = engine === 'server' ? 20 : 5

describe('twenty users who act at random on five issues concurrently', () => {
  const app = useApp({ keepRows: true })
  let storm: Storm
  let blown: Blown
  let before: number
  beforeAll(async () => {
    before = await deadlocks(app)
    storm = await givenStorm(app)
    blown = await blow(app, storm, openChance(SEED, 'storm'), DEEDS_OF_EACH)
  })

  it('get only expected statuses', () => {
    expect(Object.keys(blown.answers).filter((name) => !['201', '204', '403', '422 base'].includes(name))).toEqual([])
  })

  it('cause no deadlock', async () => {
    expect(await deadlocks(app)).toBe(before)
  })

  it('leave the confirmed votes, follows, comments and status changes on every issue', async () => {
    const of = async (issue: number) => {
      const { body } = await app.as.anonymous.get(`/issues/${issue}?details=true`)
      const { status, rating, vote_count, comment_count, comments } = body as Record<string, unknown>
      const { history, ...counts } = (await countsOf(app, issue)) ?? {}
      const steps = ((history ?? []) as string[]).map((step) => step.split(' to '))
      const told = { status, rating, vote_count, comment_count, comments: (comments as unknown[]).length }
      return { told, counts: { ...counts, events: undefined, points: undefined }, steps }
    }

    for (const issue of storm.issues) {
      const { told, counts, steps } = await of(issue)

      const { votes, follows, comments, moves, acknowledged } = blown.issues.get(issue) ?? {}
      const rating = 1 + (votes?.size ?? 0) + Number(acknowledged)
      const status = steps.at(-1)?.[1] ?? 'Open'
      const [vote_count, follow_count] = [votes?.size, follows?.size]
      expect(counts).toEqual({ status, vote_count, rating, votes: vote_count, follows: follow_count, comments })
      expect(told).toEqual({ status, rating: String(rating), vote_count, comment_count: comments, comments })
      // Each step of the history begins where the one before ended.
      expect(steps.map(([from]) => from)).toEqual(['Open', ...steps.map(([, to]) => to)].slice(0, moves))
    }
  })

  it('have the points and the public counts of their actions', async () => {
    const { issue: own, by } = storm.unnamed
    for (const { id } of storm.people) {
      const { body } = await app.as.anonymous.get(`/users/${id}`)

      const { reports = 0, comments = 0, closed = [], votes = new Set(), follows = new Set() } = blown.people.get(id) ?? {}
      // What the unnamed reporter does about the own issue counts nowhere, but for comments, which everybody sees by their name.
      const shown = (ids: ReadonlySet<unknown>) => ids.size - Number(id === by && ids.has(own))
      expect(body).toMatchObject({
        ...{
          civic_points: 10 * reports + 5 * comments + 5 * shown(votes),
          reported_issue_count: reports,
          comments_count: comments,
        },
        ...{ voted_issue_count: shown(votes), following_issue_count: shown(follows) },
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

    expect(Object.fromEntries(events.map(({ type, count }) => [type, count]))).toEqual(blown.events)
  })
})
