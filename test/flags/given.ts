import { sql } from '../../src/database/database.ts'
import type { GivenUser, Person } from '../helpers/given.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const DAY_MS = 86_400_000

/** Somebody whose account is as old as that, in days. */
export async function givenAccount(it: TestApp, days: number, wanted: GivenUser = {}): Promise<Person> {
  const person = await it.given.user(wanted)
  const created_at = new Date(Date.now() - days * DAY_MS)
  await it.db.prisma.user.update({ where: { id: person.id }, data: { created_at } })
  return person
}

export const givenOld = (it: TestApp, count: number) => Promise.all(Array.from({ length: count }, () => givenAccount(it, 30)))

export const flag = (it: TestApp, person: Person, path: string, body: unknown = { message: 'This is an advertisement.' }) =>
  it.as.user(person).send('POST', `/api/v2${path}/flag`, { body })

export const itemsOf = (it: TestApp) =>
  queryRows(
    it.db,
    sql`
    SELECT m.subject_type, m.subject_id, m.state, m.reasons, m.original, m.requested_move FROM moderation_items m ORDER BY m.id`,
  )

/** As a moderator does it who lets it stand. */
export const approve = (it: TestApp) =>
  queryRows(
    it.db,
    sql`
    UPDATE moderation_items m SET state = 'approved', decided_at = clock_timestamp() WHERE m.state = 'held' RETURNING m.id`,
  )
