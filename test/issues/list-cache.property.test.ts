import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { fill, someIssues } from '../geo/world.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* A URL that was not requested before is never in the cache, so it must give the same response after every change. */
describe('cached responses for anonymous callers', () => {
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
    'a change of the moderation state': (id, n) =>
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

  /** Every error response has a different request id. */
  async function statusAndIssue(path: string) {
    const { status, body } = await app.as.anonymous.get(path)
    return status === 200 ? body : status
  }

  it('equal responses that are read again, after every change', async () => {
    let requested = 0
    const isSame = async (list: string, steps: readonly (readonly [string, number])[]) => {
      const path = `/issues?${list}&per_page=5`
      await app.as.anonymous.get(path)
      for (const [name, n] of steps) {
        const issue = `/issues/${1 + (n % 60)}`
        await app.as.anonymous.get(issue)
        await changes[name]?.(1 + (n % 60), n)
        expect([name, await statusAndIssue(issue)]).toEqual([name, await statusAndIssue(`${issue}?again=${requested}`)])
        requested += 1
        const [cached, uncached] = [await app.as.anonymous.get(path), await app.as.anonymous.get(`${path}&again=${requested}`)]
        expect([name, cached.status, parseIssueList(cached).issues, parseIssueList(cached).pagination.entries]).toEqual([
          name,
          200,
          parseIssueList(uncached).issues,
          parseIssueList(uncached).pagination.entries,
        ])
      }
    }
    const lists = fc.constantFrom(
      'sort=created_at',
      'details=true',
      'place_url=city',
      'min_lng=-105.2&max_lng=-104.5&min_lat=39&max_lat=40&sort=updated_at',
      'lat=39.74&lng=-104.99&sort=distance',
      'lat=39.74&lng=-104.99&radius=20000',
      `area=${encodeURIComponent('{"type":"Polygon","coordinates":[[[-105.2,39],[-104.5,39],[-104.5,40],[-105.2,39]]]}')}`,
      'search=summary',
    )
    const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(1_000)), { minLength: 2, maxLength: 6 })
    await fc.assert(fc.asyncProperty(lists, steps, isSame), runs(8))
  })
})
