import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { fill, someIssues } from '../geo/world.ts'
import { isWanted } from '../geo/brute-force.ts'
import { parseIssueList, type Pagination, withoutCursor } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'

const issues = someIssues(120)
const entries = issues.filter(isWanted({})).length
const ROOT = 'http://fixpoint.test/api/v2/issues'

describe('pages of GET /issues', () => {
  const app = useApp({ keepRows: true, env: { TRUST_PROXY: '1' } })
  beforeAll(() => fill(app.db, issues))

  const paginationOf = async (query: string) => plain(parseIssueList(await app.as.anonymous.get(`/issues${query}`)).pagination)
  const sizeOf = async (query: string) => parseIssueList(await app.as.anonymous.get(`/issues${query}`)).issues.length

  it('have 20 rows by default and contain the total', async () => {
    const pages = Math.ceil(entries / 20)

    expect(await paginationOf('')).toEqual({
      entries,
      page: 1,
      per_page: 20,
      pages,
      next_page: 2,
      next_page_url: `${ROOT}?page=2`,
      previous_page: null,
      previous_page_url: null,
    })
    expect(await sizeOf('')).toBe(20)
  })

  it('contain the numbers of the previous and the next page, or null', async () => {
    const last = Math.ceil(entries / 25)

    expect(await paginationOf('?per_page=25&page=2')).toMatchObject({
      next_page: 3,
      next_page_url: `${ROOT}?page=3&per_page=25`,
      previous_page: 1,
      previous_page_url: `${ROOT}?page=1&per_page=25`,
    })
    expect(await paginationOf(`?per_page=25&page=${last}`)).toMatchObject({
      next_page: null,
      next_page_url: null,
      previous_page: last - 1,
    })
    expect(await sizeOf(`?per_page=25&page=${last}`)).toBe(entries - 25 * (last - 1))
  })

  it('are empty past the end', async () => {
    const pages = Math.ceil(entries / 20)

    expect(await sizeOf('?page=1000')).toBe(0)
    expect(await paginationOf('?page=1000')).toMatchObject({ entries, page: 1000, pages, next_page: null, next_page_url: null })
    expect(await sizeOf('?page=9007199254740991&per_page=100')).toBe(0)
    expect(await paginationOf('?page=9007199254740991')).toMatchObject({ page: 9007199254740991, previous_page: pages })
  })

  it('are zero for an empty list', async () => {
    const { body } = await app.as.anonymous.get('/issues?after=2999-01-01&page=3')

    expect(body).toEqual({
      metadata: {
        pagination: {
          entries: 0,
          page: 3,
          per_page: 20,
          pages: 0,
          next_page: null,
          next_page_url: null,
          previous_page: null,
          previous_page_url: null,
        },
      },
      issues: [],
      errors: {},
    })
  })

  it.each([
    ['page=0', { page: 1 }],
    ['page=-7', { page: 1 }],
    ['page=-99999999999999999999', { page: 1 }],
    ['per_page=0', { per_page: 1 }],
    ['per_page=-1', { per_page: 1 }],
    ['per_page=100', { per_page: 100 }],
    ['per_page=101', { per_page: 100 }],
    ['per_page=99999999999999999999', { per_page: 100 }],
    ['per_page=20&details=true', { per_page: 20 }],
    ['per_page=21&details=true', { per_page: 20 }],
    ['per_page=100&details=false', { per_page: 100 }],
  ])('limit %s to allowed values', async (query, pagination) => {
    expect(await paginationOf(`?${query}`)).toMatchObject(pagination)
  })

  it('keep every parameter in the URLs of their neighbours, sorted and percent-encoded', async () => {
    const { next_page_url } = await paginationOf(
      "?zebra=a+b&color=r%C3%A9d&zebra=(c)&sort=rating&quote=it's*!~&status=open,closed&per_page=5",
    )

    expect(next_page_url).toBe(
      `${ROOT}?color=r%C3%A9d&page=2&per_page=5&quote=it%27s%2A%21~&sort=rating&status=open%2Cclosed&zebra=a%20b&zebra=%28c%29`,
    )
  })

  it('read parameters after a second question mark as the list does', async () => {
    const pagination = await paginationOf('??zoom=1')
    expect(pagination).toMatchObject({ per_page: 20, next_page_url: `${ROOT}?%3Fzoom=1&page=2` })
  })

  it('keep no credentials in those URLs', async () => {
    const { token } = await app.create.user()
    const overHttps = { 'x-forwarded-proto': 'https' }

    const answer = await app.as.anonymous.get(`/issues?access_token=${token}&per_page=5&page=2`, overHttps)

    expect(plain(parseIssueList(answer).pagination)).toMatchObject({
      next_page_url: `${ROOT}?page=3&per_page=5`,
      previous_page_url: `${ROOT}?page=1&per_page=5`,
    })
    expect(answer.text).not.toContain(token)
  })

  it('lead from the first to the last by their URLs', async () => {
    const root = 'http://fixpoint.test/api/v2'
    const idsFrom = async (address: string | null): Promise<number[]> => {
      if (address === null) return []
      const { issues: found, pagination } = parseIssueList(await app.as.anonymous.get(address.slice(root.length)))
      return [...found.map(({ id }) => id), ...(await idsFrom(pagination.next_page_url))]
    }

    const seen = await idsFrom(`${root}/issues?per_page=17&sort=rating&x=%26%3D`)

    expect(seen).toHaveLength(entries)
    expect(new Set(seen).size).toBe(entries)
  })

  it('contain consistent metadata for every page and size', async () => {
    const isRight = async (page: number, per_page: number, extra: string) => {
      const pages = Math.ceil(entries / per_page)
      const neighbour = (number: number | null) =>
        number === null ? null : `${ROOT}?page=${number}&per_page=${per_page}&quote=${encoded(extra)}`
      const next_page = page < pages ? page + 1 : null
      const previous_page = page === 1 ? null : Math.min(page - 1, pages)

      expect(await paginationOf(`?quote=${encodeURIComponent(extra)}&page=${page}&per_page=${per_page}`)).toEqual({
        entries,
        page,
        per_page,
        pages,
        next_page,
        next_page_url: neighbour(next_page),
        previous_page,
        previous_page_url: neighbour(previous_page),
      })
    }
    const text = fc
      .string({ unit: 'grapheme', maxLength: 8 })
      .filter((generated) => !generated.includes('\0') && generated.isWellFormed())
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 100 }), text, isRight), runs(20))
  })
})

const plain = (pagination: Pagination): Pagination => ({
  ...pagination,
  next_page_url: pagination.next_page_url === null ? null : withoutCursor(pagination.next_page_url),
})

/** Encodes every byte (RFC 3986). */
function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}
