import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { isConflict } from '../../src/database/conflicts.ts'
import { raw, sql, type Database, type Queryable, type Sql } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { engine, openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createFactories, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Maximum time until all statements wait for a lock. */
const WAITING = { timeout: 10_000 }

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => resetDatabase(database))
afterAll(() => database.close())

const givenUsers = async (count: number): Promise<TestUser[]> => {
  const create = createFactories(database)
  const users: TestUser[] = []
  for (let n = 0; n < count; n++) users.push(await create.user({ name: `User ${n}`, share_location: true }))
  return users
}

describe('a transaction that the database gives up', () => {
  const names = () => queryRows(database, sql`SELECT u.name FROM users u ORDER BY u.id`)
  const fails = (sqlstate: string) => raw(`DO $$ BEGIN RAISE EXCEPTION 'given up' USING ERRCODE = '${sqlstate}'; END $$`)

  test.each(['40P01', '40001'])('for the sake of another (%s) is done anew as a whole', async (sqlstate) => {
    let tries = 0

    const result = await database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES (${`Try ${++tries}`})`)
      if (tries <= 3) await tx.execute(fails(sqlstate))
      return 'done'
    })

    expect([result, await names()]).toEqual(['done', [{ name: 'Try 4' }]])
  })

  test.each([
    ['40P01', 4, true],
    ['40001', 4, true],
    ['22012', 1, false],
  ])('%s ends after %i tries with that very error', async (sqlstate, times, conflict) => {
    let tries = 0

    const error: unknown = await database
      .transaction(async (tx) => {
        tries++
        await tx.execute(fails(sqlstate))
      })
      .catch((reason: unknown) => reason)

    expect([tries, isConflict(error)]).toEqual([times, conflict])
    expect(error).toMatchObject({ meta: { driverAdapterError: { cause: { originalCode: sqlstate } } } })
  })
})

describe.runIf(engine === 'server')('at the same time (a server only: the embedded engine does one thing after the other)', () => {
  test('two transactions that wait for each other both succeed', async () => {
    await givenUsers(2)
    const bothHaveOne = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const add = (tx: Queryable, id: number) =>
      queryRows(tx, sql`UPDATE users u SET civic_points = u.civic_points + 1 WHERE u.id = ${id}`)

    await Promise.all(
      [1, 2].map((first, n) =>
        database.transaction(async (tx) => {
          await add(tx, first)
          bothHaveOne[n]?.resolve()
          await Promise.all(bothHaveOne.map(({ promise }) => promise))
          await add(tx, 3 - first)
        }),
      ),
    )

    expect(await queryRows(database, sql`SELECT u.civic_points FROM users u ORDER BY u.id`)).toEqual([
      { civic_points: 2 },
      { civic_points: 2 },
    ])
  })

  /**
   * Single statements, which nobody does anew, while somebody has locked the first person; once they all wait, the second one is
   * locked as well. A statement that has the second already, though it waits for the first, has locked people in another order.
   */
  async function whileLockedInOrder(statements: readonly Sql[]): Promise<unknown[]> {
    const [first, allWait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = (tx: Queryable, id: number) => queryRows(tx, sql`SELECT u.id FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
    let tries = 0
    const holder = database.transaction(async (tx) => {
      tries++
      await lock(tx, 1)
      first.resolve()
      await allWait.promise
      await lock(tx, 2)
    })
    await first.promise
    const results = Promise.allSettled(statements.map((statement) => queryRows(database, statement)))
    await vi.waitFor(async () => {
      const waiting = await queryRows(
        database,
        sql`
        SELECT a.pid FROM pg_stat_activity a WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'`,
      )
      expect(waiting).toHaveLength(statements.length)
    }, WAITING)
    allWait.resolve()
    await holder
    expect(tries).toBe(1)
    return (await results).map((result) => (result.status === 'rejected' ? (result.reason as unknown) : 'done'))
  }

  test('two held reports with the same people, in other roles, can both be deleted', async () => {
    const create = createFactories(database)
    const [one, two] = (await givenUsers(2)) as [TestUser, TestUser]
    const reports = [await create.issue({ moderation_state: 'held' }), await create.issue({ moderation_state: 'held' })]
    for (const [n, on] of reports.entries()) {
      await create.comment({ on, by: n === 0 ? two : one })
      await create.vote({ on, by: n === 0 ? one : two })
    }

    const results = await whileLockedInOrder(reports.map((id) => sql`DELETE FROM issues i WHERE i.id = ${id}`))

    expect(results).toEqual(['done', 'done'])
  })

  test('two reports without a name, each with a vote of the reporter of the other one, can both be held', async () => {
    const create = createFactories(database)
    const [one, two] = (await givenUsers(2)) as [TestUser, TestUser]
    const reports = [
      await create.issue({ reporter: one, anonymous: true }),
      await create.issue({ reporter: two, anonymous: true }),
    ] as const
    await create.vote({ on: reports[0], by: two })
    await create.vote({ on: reports[1], by: one })

    const results = await whileLockedInOrder(
      reports.map((id) => sql`UPDATE issues i SET moderation_state = 'held' WHERE i.id = ${id}`),
    )

    expect(results).toEqual(['done', 'done'])
  })

  /** Single statements of a user about an issue. */
  const acts: readonly ((issue: number, user: number) => Sql)[] = [
    (issue, user) => sql`INSERT INTO votes (issue_id, user_id) VALUES (${issue}, ${user}) ON CONFLICT DO NOTHING`,
    (issue, user) => sql`DELETE FROM votes v WHERE v.issue_id = ${issue} AND v.user_id = ${user}`,
    (issue, user) => sql`INSERT INTO follows (issue_id, user_id) VALUES (${issue}, ${user}) ON CONFLICT DO NOTHING`,
    (issue, user) => sql`INSERT INTO comments (issue_id, commenter_id, comment) VALUES (${issue}, ${user}, 'Still there.')`,
    (issue) => sql`UPDATE issues i SET moderation_state = 'held' WHERE i.id = ${issue}`,
    (issue) => sql`UPDATE issues i SET moderation_state = 'passed' WHERE i.id = ${issue}`,
    (issue) => sql`UPDATE issues i SET anonymous = NOT i.anonymous WHERE i.id = ${issue}`,
    (issue, user) => sql`UPDATE issues i SET reporter_id = ${user} WHERE i.id = ${issue}`,
    (_, user) => sql`UPDATE users u SET share_location = NOT u.share_location WHERE u.id = ${user}`,
    (_, user) => sql`INSERT INTO issues (summary, lng, lat, reporter_id) VALUES ('Pothole', 0, 0, ${user})`,
  ]

  // In transactions, as everything that writes does: rare orders of locks are left that only beginning anew gets out of.
  test('eight connections do what people do about few reports, and none is refused', async () => {
    const [create, people] = [createFactories(database), await givenUsers(6)]
    for (const reporter of people.slice(0, 5)) await create.issue({ reporter })
    const many = openManyConnections()
    const any = (count: number) => Math.floor(Math.random() * count)
    const until = Date.now() + 3_000

    const refused: unknown[] = []
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (Date.now() < until && refused.length === 0) {
          const act = acts[any(acts.length)]?.(1 + any(5), 1 + any(6)) ?? sql`SELECT 1`
          await many
            .transaction((tx) => queryRows(tx, act))
            .catch((error: unknown) => refused.push([act.sql, (error as Error).message]))
        }
      }),
    )

    expect(refused).toEqual([])
  })

  function openManyConnections(): Database {
    const { connectionString = '' } = (database as Extract<typeof database, { engine: 'server' }>).pool.options
    const many = openPostgres({ url: connectionString, poolMax: 8 })
    onTestFinished(() => many.close())
    return many
  }
})
