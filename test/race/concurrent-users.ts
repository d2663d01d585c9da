import { sql } from '../../src/database/database.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { engine } from '../helpers/servers.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Twenty changes of an issue may wait. The embedded engine serializes requests, so larger numbers only take longer there. */
export const USERS = engine === 'server' ? 20 : 12

/** Creates users; with a role they are members of one organisation whose area covers GREEN. */
export async function createUsers({ create }: TestApp, role?: 'employee' | 'moderator', size = USERS): Promise<TestUser[]> {
  const memberOf = role ? [{ organization: await create.organization({ around: GREEN }), role }] : []
  const people: TestUser[] = []
  for (let n = 0; n < size; n++) people.push(await create.user({ memberOf }))
  return people
}

/** Sends one request for each user concurrently. @param body gets the index of the user */
export function sendConcurrently(
  { as }: TestApp,
  people: readonly TestUser[],
  path: string,
  body: (n: number) => object = () => ({}),
): Promise<ApiResponse[]> {
  return Promise.all(people.map((person, n) => as.user(person).send('POST', `/api/v2${path}`, { body: body(n) })))
}

/** Returns the number of responses by status; a 422 includes the names of the fields. */
export function countByStatus(answers: readonly ApiResponse[]): Record<string, number> {
  const names = answers.map(({ status, body }) => (status === 422 ? `422 ${Object.keys(body as object).join()}` : String(status)))
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
}

export async function readCounts({ db }: TestApp, issue: number) {
  const [counts] = await queryRows<Record<string, unknown>>(
    db,
    sql`
    SELECT i.status, i.vote_count, i.rating,
      (SELECT count(*)::integer FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed') AS comments,
      (SELECT count(*)::integer FROM votes v WHERE v.issue_id = i.id) AS votes,
      (SELECT count(*)::integer FROM follows f WHERE f.issue_id = i.id) AS follows,
      (SELECT json_agg(s.from_status || ' to ' || s.to_status ORDER BY s.id) FROM status_changes s WHERE s.issue_id = i.id) AS history,
      (SELECT json_object_agg(e.type, e.count) FROM (
        SELECT e.type, count(*) FROM events e
        WHERE (e.subject_type = 'issue' AND e.subject_id = i.id) OR (e.payload ->> 'issue_id')::integer = i.id
        GROUP BY e.type ORDER BY e.type) e) AS events,
      (SELECT sum(u.civic_points)::integer FROM users u) AS points
    FROM issues i WHERE i.id = ${issue}`,
  )
  return counts
}

export async function deadlocks({ db }: TestApp): Promise<number> {
  const [row] = await queryRows<{ deadlocks: number }>(
    db,
    sql`
    SELECT d.deadlocks FROM pg_stat_database d WHERE d.datname = current_database()`,
  )
  return row?.deadlocks ?? 0
}
