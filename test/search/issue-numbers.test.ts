import { beforeEach, describe, expect, it } from 'vitest'

import { findListPage } from '../../src/issues/list/page.ts'
import { parseIssueSearch } from '../../src/issues/list/filter.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { fetchTitles, issuesUrl } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

describe('search for the number of an issue', () => {
  const app = useApp()
  let id: number

  beforeEach(async () => {
    id = await app.create.issue({ summary: 'Numbered', created_at: '2026-01-01T00:00:00Z' })
    await app.create.issue({ summary: 'House', address: `${id} Church Street`, created_at: '2026-02-01T00:00:00Z' })
    await app.create.place({ url_name: 'new-haven' })
  })

  it('finds the issue in addition to issues with the number in their words, in the order of the list', async () => {
    const { body } = await app.as.anonymous.get(issuesUrl({ search: id }))

    expect(await fetchTitles(app.as.anonymous, { search: id })).toEqual(['House', 'Numbered'])
    expect(await fetchTitles(app.as.anonymous, { search: ` ${id} `, sort_direction: 'ASC' })).toEqual(['Numbered', 'House'])
    expect(body).toMatchObject({ metadata: { pagination: { entries: 2 } } })
  })

  it('finds only the issue after #', async () => {
    const { body } = await app.as.anonymous.get(issuesUrl({ search: `#${id}` }))

    expect(await fetchTitles(app.as.anonymous, { search: `# ${id}` })).toEqual(['Numbered'])
    expect(body).toMatchObject({ metadata: { pagination: { entries: 1 } } })
  })

  it('returns no issue that the other filters or the moderation exclude', async () => {
    const held = await app.create.issue({ moderation_state: 'held' })
    const archived = await app.create.issue({ status: 'Archived' })
    const far = await app.create.issue({ at: FAR_AWAY })
    const found = (number: number, filters = {}) => fetchTitles(app.as.anonymous, { search: `#${number}`, ...filters })

    expect(await found(held)).toEqual([])
    expect(await found(archived)).toEqual([])
    expect(await found(archived, { status: 'archived' })).toHaveLength(1)
    expect(await found(far)).toHaveLength(1)
    expect(await found(far, { place_url: 'new-haven' })).toEqual([])
    expect(await found(id, { place_url: 'new-haven' })).toHaveLength(1)
    expect(await found(id, { lat: GREEN.lat, lng: GREEN.lng, zoom: 15, after: '2026-01-02T00:00:00Z' })).toEqual([])
  })

  it.each(['#0', '#2147483648', '#99999999999999999999', '2147483648', '#', '#12a'])(
    'returns an empty list for %s',
    async (search) => {
      const { status, body } = await app.as.anonymous.get(issuesUrl({ search }))

      expect([status, body]).toMatchObject([200, { issues: [], metadata: { pagination: { entries: 0 } } }])
    },
  )

  it('is one statement', async () => {
    const statements: string[] = []
    const reader: typeof app.db = {
      ...app.db,
      query: (statement) => (statements.push(statement.text), app.db.query(statement)),
    }
    const search = await parseIssueSearch(reader, `${id}`)
    const filter = { area: { kind: 'everywhere' }, statuses: ['Open'], search } as const
    const order = { by: 'created_at', direction: 'DESC' } as const

    const { entries } = await findListPage(reader, { filter, order, pagePosition: { page: 1, perPage: 20 }, viewer: null })

    expect([entries, statements.length]).toEqual([2, 1])
  })

  it('shows an issue outside of the list above it, with the number on each card', async () => {
    const far = await app.create.issue({ summary: 'Far away', at: FAR_AWAY, status: 'Archived' })

    const place = await app.as.anonymous.send('GET', `/places/new-haven?search=%23${far}`)
    const map = await app.as.anonymous.send('GET', `/?place_url=new-haven&search=${far}`)
    const listed = await app.as.anonymous.send('GET', `/places/new-haven?search=%23${id}`)

    expect(place.text).toMatch(new RegExp(`Issue with this number</h2>\\s*<ul class="cards"><li[^>]*data-issue="${far}"`))
    expect(map.text).toContain(`<a href="/issues/${far}">Far away</a>`)
    expect(listed.text).not.toContain('Issue with this number')
    expect(listed.text).toContain(`<b class="number">#${id}</b>`)
  })

  it('opens the issue from the search of the map', async () => {
    const exact = await app.as.anonymous.send('GET', `/?find=%23${id}`)
    const number = await app.as.anonymous.send('GET', `/?find=${id}`)

    expect([exact.status, exact.headers['location']]).toEqual([303, `/issues/${id}`])
    expect(number.text).toContain(`<a href="/issues/${id}">#${id} Numbered</a>`)
  })
})
