import { sql } from '../../src/database/database.ts'
import type { UserInput, TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const DAY_MS = 86_400_000

/** @param days age of the account */
export async function createAccount(app: TestApp, days: number, wanted: UserInput = {}): Promise<TestUser> {
  const person = await app.create.user(wanted)
  const created_at = new Date(Date.now() - days * DAY_MS)
  await app.db.prisma.user.update({ where: { id: person.id }, data: { created_at } })
  return person
}

export const createOldAccounts = (app: TestApp, count: number) =>
  Promise.all(Array.from({ length: count }, () => createAccount(app, 30)))

export const flag = (app: TestApp, person: TestUser, path: string, body: unknown = { message: 'This is an advertisement.' }) =>
  app.as.user(person).send('POST', `/api/v2${path}/flag`, { body })

export const listItems = (app: TestApp) =>
  queryRows(
    app.db,
    sql`
    SELECT m.subject_type, m.subject_id, m.state, m.reasons, m.original, m.requested_transition FROM moderation_items m ORDER BY m.id`,
  )

export const approve = (app: TestApp) =>
  queryRows(
    app.db,
    sql`
    UPDATE moderation_items m SET state = 'approved', decided_at = clock_timestamp() WHERE m.state = 'held' RETURNING m.id`,
  )
