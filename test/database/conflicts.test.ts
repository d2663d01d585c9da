import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, it } from 'vitest'

import { isDirectServer } from '../helpers/servers.ts'
import { isConflict } from '../../src/database/with-prisma.ts'
import { raw, sql, type Database, type Queryable, type Sql } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { createFactories, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => resetDatabase(database))
afterAll(() => database.close())

const createUsers = async (count: number): Promise<TestUser[]> => {
  const create = createFactories(database)
  const users: TestUser[] = []
  for (let n = 0; n < count; n++) users.push(await create.user({ name: `User ${n}`, share_location: true }))
  return users
}

describe('transaction after a conflict', () => {
  const names = () => queryRows(database, sql`SELECT u.name FROM users u ORDER BY u.id`)
  const failWith = (sqlstate: string) => raw(`DO $$ BEGIN RAISE EXCEPTION 'aborted' USING ERRCODE = '${sqlstate}'; END $$`)

  it.each(['40P01', '40001'])('retries the whole transaction after SQLSTATE %s', async (sqlstate) => {
    let attempts = 0

    const result = await database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES (${`Attempt ${++attempts}`})`)
      if (attempts <= 3) await tx.execute(failWith(sqlstate))
      return 'done'
    })

    expect([result, await names()]).toEqual(['done', [{ name: 'Attempt 4' }]])
  })

  it.each([
    ['40P01', 4, true],
    ['40001', 4, true],
    ['22012', 1, false],
  ])('throws the error with SQLSTATE %s after %i attempts', async (sqlstate, times, conflict) => {
    let attempts = 0

    const error: unknown = await database
      .transaction(async (tx) => {
        attempts++
        await tx.execute(failWith(sqlstate))
      })
      .catch((reason: unknown) => reason)

    expect([attempts, isConflict(error)]).toEqual([times, conflict])
    expect(error).toMatchObject({ meta: { driverAdapterError: { cause: { originalCode: sqlstate } } } })
  })
})

describe.runIf(isDirectServer)('concurrent transactions (servers only, because the embedded engine has one connection)', () => {
  it('succeed if two of them deadlock', async () => {
    await createUsers(2)
    const bothHaveLock = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const add = (tx: Queryable, id: number) =>
      queryRows(tx, sql`UPDATE users u SET civic_points = u.civic_points + 1 WHERE u.id = ${id}`)

    await Promise.all(
      [1, 2].map((first, n) =>
        database.transaction(async (tx) => {
          await add(tx, first)
          bothHaveLock[n]?.resolve()
          await Promise.all(bothHaveLock.map(({ promise }) => promise))
          await add(tx, 3 - first)
        }),
      ),
    )

    expect(await queryRows(database, sql`SELECT u.civic_points FROM users u ORDER BY u.id`)).toEqual([
      { civic_points: 2 },
      { civic_points: 2 },
    ])
  })

  const actions: readonly ((issue: number, user: number) => Sql)[] = [
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

  // The statements run in transactions, as in the service, because rare lock orders still deadlock and need the retry.
  it('all succeed when eight connections change few issues and users', async () => {
    const [create, users] = [createFactories(database), await createUsers(6)]
    for (const reporter of users.slice(0, 5)) await create.issue({ reporter })
    const many = openManyConnections()
    const randomIndex = (count: number) => Math.floor(Math.random() * count)
    const until = Date.now() + 3_000

    const failures: unknown[] = []
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (Date.now() < until && failures.length === 0) {
          const action = actions[randomIndex(actions.length)]?.(1 + randomIndex(5), 1 + randomIndex(6)) ?? sql`SELECT 1`
          await many
            .transaction((tx) => queryRows(tx, action))
            .catch((error: unknown) => failures.push([action.sql, (error as Error).message]))
        }
      }),
    )

    expect(failures).toEqual([])
  })

  function openManyConnections(): Database {
    const { connectionString = '' } = (database as Extract<typeof database, { engine: 'server' }>).pool.options
    const many = openPostgres({ url: connectionString, pools: { read: 8, write: 8 } })
    onTestFinished(() => many.close())
    return many
  }
})
