import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import type { Client } from '../helpers/client.ts'
import { engine } from '../helpers/database.ts'
import { type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { fill, someIssues } from '../geo/world.ts'
import { runs } from '../helpers/long.ts'

const INSIDE = { lng: -72.93, lat: 41.3 }
const FAR = { lng: -105, lat: 39.7 }
/** This many of the sixty issues are never deleted. */
const STAYING = 50
const DENVER = { lng: -104.9903, lat: 39.7392 }

/** Each round has concurrent writes and reads, after which all ETags are checked again. */
const ROUNDS = 6

describe.runIf(engine === 'server')('ETags during concurrent commits', { timeout: 3_600_000 }, () => {
  const app = useApp({ keepRows: true })

  it('return 304 exactly if the response is unchanged, for an anonymous caller, a resident, an employee and a moderator', async () => {
    const { db, create, as } = app
    await fill(db, someIssues(60))
    await db.execute(sql`SELECT setval('issues_id_seq', 1000)::text AS id`)
    const organization = await create.organization({ name: 'Public Works', around: INSIDE, size: 20 })
    const people = [
      await create.user(),
      await create.user({ memberOf: [{ organization }] }),
      await create.user({ memberOf: [{ organization, role: 'moderator' }] }),
    ]
    const type = await create.requestType({ title: 'Light', organization })
    await db.execute(sql`UPDATE issues SET request_type_id = ${type} WHERE id % 4 = 0`)
    await create.place({ url_name: 'denver', around: DENVER, size: 0.03 })
    const token = await create.watchArea({ of: await create.user(), area: square(DENVER, 0.02) })
    await db.execute(sql`UPDATE issues SET reporter_id = ${people[0]?.id} WHERE id % 3 = 0`)
    await db.execute(sql`UPDATE issues SET reporter_id = ${people[1]?.id}, anonymous = TRUE WHERE id % 3 = 1`)
    const clients = [as.anonymous, ...people.map((person) => as.user(person))]
    const paths = [
      '/issues?details=true',
      `/issues?min_lat=20&min_lng=-120&max_lat=60&max_lng=-80`,
      '/issues?sort=updated_at&per_page=5&page=2',
      // A point in Denver with several issues, and a street through it.
      '/issues?min_lat=39.73919&min_lng=-104.99031&max_lat=39.73921&max_lng=-104.99029',
      '/issues?min_lat=39.7&min_lng=-120&max_lat=39.78&max_lng=-80&search=words',
      '/issues?place_url=denver&sort=rating',
      `/issues?watcher_token=${token}&status=open,closed`,
      `/issues?lat=${DENVER.lat}&lng=${DENVER.lng}&radius=900`,
      `/issues?area=${encodeURIComponent(JSON.stringify(square(DENVER, 0.02)))}&sort=distance`,
    ]
    const seen = { changed: 0, unchanged: 0 }

    await fc.assert(
      fc.asyncProperty(fc.array(writes(people, type), { minLength: 8, maxLength: 16 }), async (script) => {
        const writing = script.map((write) => write(db))
        const made: { client: Client; path: string; tag: string; body: unknown }[] = []
        let isWriting = true
        const reading = Promise.all(
          clients.map(async (client) => {
            for (let n = 0; isWriting || n < paths.length; n++) {
              const path = paths[n % paths.length] ?? ''
              const { headers, body } = await client.get(path)
              made.push({ client, path, tag: String(headers['etag']), body })
            }
          }),
        )
        await Promise.all(writing)
        isWriting = false
        await reading
        for (const { client, path, tag, body } of made) {
          const [again, full] = [await client.get(path, { 'if-none-match': tag }), await client.get(path)]
          if (again.status === 304) expect(full.body).toEqual(body)
          else expect(again.status).toBe(200)
          seen[again.status === 304 ? 'unchanged' : 'changed']++
          expect((await client.get(path, { 'if-none-match': String(full.headers['etag']) })).status).toBe(304)
        }
      }),
      { ...runs(ROUNDS), endOnFailure: true },
    )
    // The rounds must contain reads between overlapping writes.
    expect(seen.changed).toBeGreaterThan(ROUNDS)
    expect(seen.unchanged).toBeGreaterThan(ROUNDS)
  })
})

type Write = (db: Database) => Promise<unknown>

/** Returns transactions that wait before they commit, so that the commits have a different order than the writes. */
function writes(people: readonly TestUser[], type: number): fc.Arbitrary<Write> {
  const person = fc.constantFrom(...people)
  const issue = fc.integer({ min: 1, max: STAYING })
  const wait = fc.constantFrom(0, 0.02, 0.1)
  const slowly = (wait: number, write: ReturnType<typeof sql>) => (db: Database) =>
    db.transaction(async (tx) => {
      await tx.execute(write)
      await tx.execute(sql`SELECT pg_sleep(${wait})::text AS waited`)
    })
  return fc.oneof(
    fc
      .record({ issue, wait, words: fc.string({ maxLength: 5 }) })
      .map(({ issue: id, wait, words }) =>
        slowly(
          wait,
          sql`UPDATE issues SET summary = ${`Words ${words.replaceAll('\0', '')}`}, updated_at = now() WHERE id = ${id}`,
        ),
      ),
    fc
      .record({ issue, wait, person })
      .map(({ issue: id, wait, person: { id: who } }) =>
        slowly(wait, sql`INSERT INTO votes (issue_id, user_id) VALUES (${id}, ${who}) ON CONFLICT DO NOTHING`),
      ),
    fc
      .record({ issue, wait, person })
      .map(({ issue: id, wait, person: { id: who } }) =>
        slowly(wait, sql`INSERT INTO follows (issue_id, user_id) VALUES (${id}, ${who}) ON CONFLICT DO NOTHING`),
      ),
    fc
      .record({ person, wait, points: fc.nat(500) })
      .map(({ person: { id }, wait, points }) => slowly(wait, sql`UPDATE users SET civic_points = ${points} WHERE id = ${id}`)),
    fc
      .record({ issue, wait, person })
      .map(({ issue: id, wait, person: { id: who } }) =>
        slowly(wait, sql`INSERT INTO comments (issue_id, commenter_id, comment) VALUES (${id}, ${who}, 'A word')`),
      ),

    fc
      .record({ wait, at: fc.constantFrom(DENVER, INSIDE, FAR) })
      .map(({ wait, at: { lng, lat } }) =>
        slowly(wait, sql`INSERT INTO issues (summary, lng, lat) VALUES ('Words', ${lng}, ${lat})`),
      ),
    wait.map((wait) => slowly(wait, sql`DELETE FROM issues WHERE id = (SELECT max(i.id) FROM issues i WHERE i.id > ${STAYING})`)),
    fc
      .record({ issue, wait, change: fc.constantFrom(...changes) })
      .map(({ issue: id, wait, change }) => slowly(wait, sql`UPDATE issues SET ${change} WHERE id = ${id}`)),
    fc
      .record({ issue, wait, person })
      .map(({ issue: id, wait, person: { id: who } }) =>
        slowly(wait, sql`UPDATE issues SET assignee_id = ${who} WHERE id = ${id}`),
      ),
    fc
      .record({ issue, wait, table: fc.constantFrom(sql`votes`, sql`follows`, sql`comments`) })
      .map(({ issue: id, wait, table }) => slowly(wait, sql`DELETE FROM ${table} WHERE issue_id = ${id}`)),
    fc
      .record({ person, wait, name: fc.constantFrom('Ada', 'Ben', 'Cleo') })
      .map(({ person: { id }, wait, name }) => slowly(wait, sql`UPDATE users SET name = ${name} WHERE id = ${id}`)),
    fc
      .record({ wait, title: fc.constantFrom('Light', 'Lamp') })
      .map(({ wait, title }) => slowly(wait, sql`UPDATE request_types SET title = ${title} WHERE id = ${type}`)),
    fc.constant<Write>((db) => rollUpCellChanges(db)),
  )
}

const changes = [
  sql`status = 'Closed'`,
  sql`status = 'Open'`,
  sql`status = 'Archived'`,
  sql`moderation_state = 'wait'`,
  sql`moderation_state = 'passed'`,
  sql`anonymous = NOT anonymous`,
  sql`lng = ${DENVER.lng}, lat = ${DENVER.lat}`,
  sql`lng = ${INSIDE.lng}, lat = ${INSIDE.lat}`,
  sql`base_rating = base_rating + 1`,
]
