import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { fill, someIssues } from '../geo/world.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/*
 * Pages that anonymous callers asked for are kept in memory and sent again while the version of their list is the same. An address that nobody asked for
 * before is never in memory, so both must say the same after every change.
 */
describe('a page of a list that is kept in memory', () => {
  const app = useApp({ keepRows: true })
  let person = 0
  let type = 0
  beforeAll(async () => {
    await fill(app.db, someIssues(60, 3))
    await app.db.execute(sql`SELECT setval(pg_get_serial_sequence('issues', 'id'), 1000)`)
    person = (await app.create.user()).id
    type = await app.create.requestType()
    await app.create.place({ url_name: 'city', around: { lng: -104.99, lat: 39.74 }, size: 0.06 })
    await app.db.execute(sql`UPDATE issues SET reporter_id = ${person}, request_type_id = ${type} WHERE id % 2 = 0`)
  })

  const changes: Record<string, (id: number, n: number) => Promise<unknown>> = {
    nothing: () => Promise.resolve(),
    'a new issue': (id) => app.create.issue({ at: { lng: -104.99, lat: 39.74 + id / 1e5 } }),
    'another summary': (id, n) => app.db.prisma.issue.update({ where: { id }, data: { summary: `Summary ${n}` } }),
    'another status': (id, n) => app.db.prisma.issue.update({ where: { id }, data: { status: n % 2 === 0 ? 'Closed' : 'Open' } }),
    'another place': (id, n) => app.db.prisma.issue.update({ where: { id }, data: { lng: -105 + n / 1e4, lat: 39.74 } }),
    'an issue that is held': (id, n) =>
      app.db.prisma.issue.update({ where: { id }, data: { moderation_state: n % 2 === 0 ? 'held' : 'passed' } }),
    'a comment': (id) => app.create.comment({ on: id }),
    'another name of the reporter': (_, n) => app.db.prisma.user.update({ where: { id: person }, data: { name: `Person ${n}` } }),
    'another title of the request type': (_, n) =>
      app.db.prisma.requestType.update({ where: { id: type }, data: { title: `Type ${n}` } }),
    'another border of the place': (_, n) =>
      queryRows(
        app.db,
        sql`UPDATE places SET boundary = ST_Multi(ST_MakeEnvelope(-105.2, 39.6, ${-104.9 + n / 1e4}::float8, 39.9, 4326)) WHERE url_name = 'city'`,
      ),
  }

  test('is what is read anew, after every change', async () => {
    let asked = 0
    const isSame = async (list: string, steps: readonly (readonly [string, number])[]) => {
      const path = `/issues?${list}&per_page=5`
      await app.as.anonymous.get(path)
      for (const [name, n] of steps) {
        await changes[name]?.(1 + (n % 60), n)
        asked += 1
        const [kept, anew] = [await app.as.anonymous.get(path), await app.as.anonymous.get(`${path}&anew=${asked}`)]
        expect([name, kept.status, parseIssueList(kept).issues, parseIssueList(kept).pagination.entries]).toEqual([
          name,
          200,
          parseIssueList(anew).issues,
          parseIssueList(anew).pagination.entries,
        ])
      }
    }
    const lists = fc.constantFrom(
      'sort=created_at',
      'details=true',
      'place_url=city',
      'min_lng=-105.2&max_lng=-104.5&min_lat=39&max_lat=40&sort=updated_at',
      'lat=39.74&lng=-104.99&sort=distance',
      'search=summary',
    )
    const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(1_000)), { minLength: 2, maxLength: 6 })
    await fc.assert(fc.asyncProperty(lists, steps, isSame), runs(8))
  }, 120_000)
})
