import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { type Direction, idsOf, inOrder, isInBox, isWanted } from '../geo/brute-force.ts'
import { issues, keyOf, OLD_TOWN, oldTown } from '../geo/crowd.ts'
import { fill } from '../geo/world.ts'
import { issuesUrl, readCursor, parseIssueList, type Pagination, type Parameters } from '../helpers/issue-list.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const MADE_UP = {
  cursor: 'must be the unchanged cursor of a next_page_url: follow that URL, or leave cursor out',
}
const sorts = ['created_at', 'updated_at', 'rating', 'distance']
const orders = sorts.flatMap((sort) => (['ASC', 'DESC'] as const).map((direction): [string, Direction] => [sort, direction]))

describe('cursor in next_page_url', () => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await fill(app.db, issues)
    await app.db.execute(sql`SELECT setval(pg_get_serial_sequence('issues', 'id'), (SELECT max(i.id) FROM issues i))`)
    await app.db.execute(sql`ANALYZE issues`)
  })

  const get = (address: string) => app.as.anonymous.get(address.replace(`${PUBLIC_URL}/api/v2`, ''))
  const pageOf = async (parameters: Parameters) => parseIssueList(await app.as.anonymous.get(issuesUrl(parameters))).pagination
  const cursorOf = async (parameters: Parameters) => readCursor((await pageOf(parameters)).next_page_url)

  /** Follows next_page_url, checks that each page equals the page by its number, and returns all ids. */
  async function followed(parameters: Parameters): Promise<number[]> {
    const ids: number[] = []
    for (let address: string | null = issuesUrl(parameters), page = 1; address !== null; page++) {
      const answer = await get(address)
      expect(answer.body).toEqual((await app.as.anonymous.get(issuesUrl({ ...parameters, page }))).body)
      const list = parseIssueList(answer)
      ids.push(...list.issues.map(({ id }) => id))
      address = list.pagination.next_page_url
    }
    return ids
  }

  it.each(orders)(
    'leads through %s %s to every issue once, on the same pages as page numbers',
    async (sort, direction) => {
      const list = { sort, sort_direction: direction, ...OLD_TOWN }
      const large = { per_page: 100, 'fields[issue]': 'id' }
      const sorted = issues.toSorted(inOrder(keyOf(sort, OLD_TOWN), direction))

      expect(await followed({ ...list, ...large })).toEqual(idsOf(sorted.filter(isWanted({}))))
      expect(await followed({ ...list, ...oldTown, ...large })).toEqual(idsOf(sorted.filter(isWanted({})).filter(isInBox(oldTown))))
      expect(await followed({ ...list, status: 'archived', after: '2026-01-07', per_page: 9 })).toEqual(
        idsOf(sorted.filter(isWanted({ statuses: ['Archived'], after: '2026-01-07' }))),
      )
    },
    120_000,
  )

  it('is sent with the number of its page, and implies it', async () => {
    const { next_page_url } = await pageOf({ per_page: 7, page: 4 })
    const cursor = readCursor(next_page_url)

    const alone = await app.as.anonymous.get(issuesUrl({ per_page: 7, cursor }))

    expect(alone.body).toEqual((await get(next_page_url ?? '')).body)
    expect(parseIssueList(alone).pagination).toMatchObject({
      page: 5,
      previous_page: 4,
      previous_page_url: `${PUBLIC_URL}/api/v2/issues?page=4&per_page=7`,
    })
  })

  it.each([1, 0, -3, 2, 4, 6, 200, 100_000])('is ignored if the page number was edited: page=%i', async (page) => {
    const cursor = await cursorOf({ per_page: 7, page: 4 })

    const { body } = await app.as.anonymous.get(issuesUrl({ per_page: 7, page, cursor }))

    expect(body).toEqual((await app.as.anonymous.get(issuesUrl({ per_page: 7, page }))).body)
  })

  it.each<[string, Parameters]>([
    ['another sort', { sort: 'rating' }],
    ['another direction', { sort_direction: 'ASC' }],
    ['another size', { per_page: 8 }],
    ['the size that details have at most', { per_page: 40, details: 'true' }],
    ['other states', { status: 'open' }],
    ['an area', { ...oldTown }],
    ['another origin', { sort: 'distance', ...OLD_TOWN }],
    ['a search', { search: 'issue' }],
    ['a timestamp', { before: '2027-01-01' }],
    ['assignees', { assigned: 'unassigned' }],
    ['request types', { request_types: 'other' }],
  ])('is ignored with %s in favour of the page number', async (_, others) => {
    const cursor = await cursorOf({ per_page: others['details'] ? 40 : 7 })
    const list = { per_page: 7, ...others }

    const [withPage, withoutPage] = await Promise.all(
      [{ ...list, page: 2 }, list].map((one) => app.as.anonymous.get(issuesUrl({ ...one, cursor }))),
    )

    expect(withPage?.body).toEqual((await app.as.anonymous.get(issuesUrl({ ...list, page: 2 }))).body)
    expect(withoutPage?.body).toEqual((await app.as.anonymous.get(issuesUrl(list))).body)
  })

  it.each<[string, Parameters]>([
    ['what shapes the issues', { details: 'true', 'fields[issue]': 'id,votes' }],
    ['what is unknown', { color: 'red' }],
    ['the same in other words', { status: 'Closed,open,acknowledged', sort: 'created_at', sort_direction: 'DESC' }],
  ])('stays valid with %s', async (_, others) => {
    const cursor = await cursorOf({ per_page: 7 })

    const answer = await app.as.anonymous.get(issuesUrl({ per_page: 7, page: 2, ...others, cursor }))

    const byNumber = await app.as.anonymous.get(issuesUrl({ per_page: 7, page: 2 }))
    expect(parseIssueList(answer).issues.map(({ id }) => id)).toEqual(parseIssueList(byNumber).issues.map(({ id }) => id))
  })

  it('is valid only for the same caller if the list contains the issues assigned to the caller', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    for (const assignee of [ada, ada, bob, bob]) await app.create.issue({ assignee, created_at: '1990-01-01T00:00:00Z' })
    const { next_page_url } = parseIssueList(await app.as.user(ada).get('/issues?assigned_to_me=true&per_page=1')).pagination
    const address = (next_page_url ?? '').replace(`${PUBLIC_URL}/api/v2`, '')

    const byNumber = '/issues?assigned_to_me=true&per_page=1&page=2'
    for (const client of [app.as.user(ada), app.as.user(bob), app.as.anonymous]) {
      expect((await client.get(address)).body).toEqual((await client.get(byNumber)).body)
    }
    await app.db.execute(sql`DELETE FROM issues WHERE assignee_id IS NOT NULL`)
  })

  it.each([
    ['created_at', 'yesterday'],
    ['created_at', '0000-01-01T00:00:00.000Z'],
    ['updated_at', '2026-02-30T00:00:00.000Z'],
    ['updated_at', 'infinity'],
    ['rating', '2147483648'],
    ['rating', '1.5'],
    ['rating', '2026-01-01T00:00:00.000Z'],
    ['distance', 'NaN'],
    ['distance', '1e999'],
    ['distance', '-Infinity'],
  ])('is rejected with a forged key: %s after %s', async (sort, key) => {
    const list = { sort, ...OLD_TOWN, per_page: 5 }
    const [version, digest, page, id] = Buffer.from(await cursorOf(list), 'base64url')
      .toString()
      .split(' ')
    const withKey = (text: string, of = id) => Buffer.from([version, digest, page, of, text].join(' ')).toString('base64url')

    const { status, body } = await app.as.anonymous.get(issuesUrl({ ...list, cursor: withKey(key) }))

    expect([status, body]).toEqual([422, MADE_UP])
    expect((await app.as.anonymous.get(issuesUrl({ ...list, cursor: withKey('1', '9999999999') }))).status).toBe(422)
  })

  it('is accepted with a leap second as forged key', async () => {
    const list = { ...OLD_TOWN, per_page: 5 }
    const parts = Buffer.from(await cursorOf(list), 'base64url')
      .toString()
      .split(' ')
    const cursor = Buffer.from([...parts.slice(0, 4), '2016-12-31T23:59:60.999999999Z'].join(' ')).toString('base64url')

    expect((await app.as.anonymous.get(issuesUrl({ ...list, cursor }))).status).toBe(200)
  })

  it('is left out after the last page that a cursor can name', async () => {
    const list = { ...OLD_TOWN, per_page: 5 }
    const [version, digest, , ...row] = Buffer.from(await cursorOf(list), 'base64url')
      .toString()
      .split(' ')
    const cursor = Buffer.from([version, digest, 999_999_999_999_999, ...row].join(' ')).toString('base64url')

    const { next_page, next_page_url } = await pageOf({ ...list, cursor })

    expect([next_page, readCursor(next_page_url)]).toEqual([1_000_000_000_000_000, ''])
    expect((await get(next_page_url ?? '')).status).toBe(200)
  })

  it('is rejected in the language of the caller', async () => {
    const { body } = await app.as.anonymous.get(issuesUrl({ cursor: 'x' }), { 'accept-language': 'fr' })

    expect(body).toEqual({
      cursor: 'doit être le curseur d’un next_page_url sans modification : suivez cette URL, ou omettez cursor',
    })
  })

  it('is left out if the URL would be too long, so that the page number remains', async () => {
    const { next_page_url } = await pageOf({ per_page: 7, x: '('.repeat(2_640) })

    expect(readCursor(next_page_url)).toBe('')
    expect((await get(next_page_url ?? '')).body).toMatchObject({ metadata: { pagination: { page: 2 } } })
  })

  it('leads to an empty page if all following issues are deleted', async () => {
    const { next_page_url } = await pageOf({ per_page: 7, sort: 'rating', sort_direction: 'ASC', status: 'archived' })
    const page = parseIssueList(
      await app.as.anonymous.get(issuesUrl({ per_page: 7, sort: 'rating', sort_direction: 'ASC', status: 'archived' })),
    )
    const ids = page.issues.map(({ id }) => id)
    await app.db.execute(
      sql`UPDATE issues SET moderation_state = 'held' WHERE status = 'Archived' AND id <> ALL(${ids}::integer[])`,
    )

    const { issues: found, pagination } = parseIssueList(await get(next_page_url ?? ''))

    expect(found).toEqual([])
    expect(pagination).toMatchObject<Partial<Pagination>>({
      entries: 7,
      page: 2,
      pages: 1,
      next_page: null,
      next_page_url: null,
      previous_page: 1,
    })
  })
})
