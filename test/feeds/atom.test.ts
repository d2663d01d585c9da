import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { withoutCursor } from '../helpers/issue-list.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { ATOM, childrenOf, type Element, GEORSS, linkOf, parseXml, textOf } from './xml.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const FEED = '/feeds/issues.atom'
const at = (path: string) => `${PUBLIC_URL}${path}`
async function feedAt(query = ''): Promise<Element> {
  const answer = await app.as.anonymous.send('GET', `${FEED}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return parseXml(answer.text)
}
const entriesOf = (feed: Element) => childrenOf(feed, 'entry')
const titlesOf = (feed: Element) => entriesOf(feed).map((entry) => textOf(entry, 'title'))

describe('GET /feeds/issues.atom', () => {
  it('returns each issue as an entry with its texts, links, categories and point', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const issue = await app.create.issue({
      reporter: ada,
      request_type: pothole,
      summary: 'Hole <deep> & "wide"',
      description: 'Cars swerve.',
      address: '250 Church St',
      created_at: '2026-03-01T10:00:00Z',
      updated_at: '2026-03-02T11:00:00Z',
    })
    await app.db.prisma.medium.create({
      data: { issue_id: issue, full_key: 'pictures/a.png', content_type: 'image/png', bytes: 1, width: 1, height: 1 },
    })

    const feed = await feedAt()

    const [entry, ...more] = entriesOf(feed)
    expect([feed.name, feed.uri, more]).toEqual(['feed', ATOM, []])
    const shown = entry?.children.map(({ name, attributes, children, text }) => [name, children[0]?.text ?? text, attributes])
    expect(shown).toEqual([
      ['id', at(`/issues/${issue}`), {}],
      ['title', 'Hole <deep> & "wide"', {}],
      ['updated', '2026-03-02T11:00:00Z', {}],
      ['published', '2026-03-01T10:00:00Z', {}],
      ['author', 'Ada Park', {}],
      ['link', '', { rel: 'alternate', type: 'text/html', href: at(`/issues/${issue}`) }],
      ['link', '', { rel: 'enclosure', type: 'image/png', href: at('/files/pictures/a.png') }],
      ['category', '', { term: 'Open', label: 'Open' }],
      ['category', '', { term: `request-type-${pothole}`, label: 'Pothole' }],
      ['summary', 'Open · Pothole · 250 Church St', { type: 'text' }],
      ['content', 'Cars swerve.\n\n250 Church St', { type: 'text' }],
      ['point', `${GREEN.lat} ${GREEN.lng}`, {}],
    ])
    expect(childrenOf(entry as Element, 'point', GEORSS)).toHaveLength(1)
  })

  it('contains the title, the id, the time of the last change and the URLs of its pages', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const days = ['01', '02', '03', '04', '05']
    for (const day of days) await app.create.issue({ summary: day, created_at: `2026-03-${day}T00:00:00Z` })

    const feed = await feedAt('?place_url=new-haven&status=open&search=0&per_page=2&page=2&x=y')

    const parameters = 'per_page=2&place_url=new-haven&search=0&status=open&x=y'
    const page = (number: number) => at(`${FEED}?page=${number}&${parameters}`)
    expect(textOf(feed, 'title')).toBe('Issues in New Haven: open, with “0”')
    expect(textOf(feed, 'id')).toBe(at(`${FEED}?place_url=new-haven&search=0&status=open&x=y`))
    expect(textOf(feed, 'updated')).toBe('2026-03-03T00:00:00Z')
    expect(titlesOf(feed)).toEqual(['03', '02'])
    expect([linkOf(feed, 'self'), linkOf(feed, 'previous')]).toEqual([page(2), page(1)])
    expect(withoutCursor(linkOf(feed, 'next'))).toBe(page(3))
    expect(linkOf(feed, 'alternate', 'text/html')).toBe(at('/places/new-haven'))
    expect(linkOf(feed, 'alternate', 'application/geo+json')).toBe(at(`/feeds/issues.geojson?page=2&${parameters}`))
  })

  it('returns every issue once across pages', async () => {
    for (let n = 0; n < 7; n++) await app.create.issue()
    const titles: string[] = []
    const ids = new Set<string | undefined>()

    let next: string | undefined = `${PUBLIC_URL}${FEED}?per_page=3`
    while (next !== undefined) {
      const feed: Element = await feedAt(next.replace(`${PUBLIC_URL}${FEED}`, ''))
      titles.push(...titlesOf(feed))
      ids.add(textOf(feed, 'id'))
      await app.create.issue({ summary: 'Written meanwhile' })
      next = linkOf(feed, 'next')
    }

    expect(titles).toHaveLength(7)
    expect(new Set(titles).size).toBe(7)
    expect(titles).not.toContain('Written meanwhile')
    expect([...ids]).toEqual([`${PUBLIC_URL}${FEED}`])
  })

  it('returns a feed without entries for an empty area', async () => {
    const feed = await feedAt('?min_lat=1&min_lng=2&max_lat=3&max_lng=4')

    expect(textOf(feed, 'title')).toBe('Issues between 1, 2 and 3, 4')
    expect(entriesOf(feed)).toEqual([])
    expect([linkOf(feed, 'next'), linkOf(feed, 'previous')]).toEqual([undefined, undefined])
  })

  it('contains the time of the last update of any issue if it has no entries', async () => {
    const nowhere = '?min_lat=1&min_lng=2&max_lat=3&max_lng=4'
    const changes = () => queryRows<{ changed_at: string }>(app.db, sql`SELECT i.updated_at AS changed_at FROM issues i`)
    const inSeconds = ([row]: { changed_at: string }[]) => row?.changed_at.replace(/\.\d+Z$/, 'Z')
    const [made] = await queryRows<{ changed_at: string }>(
      app.db,
      sql`SELECT min(m.finished_at) AS changed_at FROM _prisma_migrations m`,
    )

    const before = await feedAt(nowhere)
    const id = await app.create.issue()
    await app.db.prisma.issue.update({ where: { id }, data: { updated_at: new Date() } })
    const answers = [
      await app.as.anonymous.send('GET', `${FEED}${nowhere}`),
      await app.as.anonymous.send('GET', `${FEED}${nowhere}`),
    ]
    const [first, second] = answers.map(({ text }) => parseXml(text))
    const unchanged = await app.as.anonymous.send('GET', `${FEED}${nowhere}`, {
      headers: { 'if-none-match': String(answers[0]?.headers['etag']) },
    })

    expect(textOf(before, 'updated')).toBe(inSeconds(made ? [made] : []))
    expect(first && textOf(first, 'updated')).toBe(inSeconds(await changes()))
    expect(second).toEqual(first)
    expect(unchanged.status).toBe(304)
  })

  it.each([
    ['?lat=41.3&lng=-72.9&zoom=14', 'Issues around 41.3, -72.9'],
    ['?watcher_token=the-token', 'Issues in a watch area'],
    ['?sort=rating&status=open,closed', 'Issues everywhere: open or closed, by rating'],
    [
      '?sort_direction=ASC&after=2026-01-01&request_types=other',
      'Issues everywhere: of request type other, from 2026-01-01, by creation ascending',
    ],
    ['?assigned=unassigned&before=2026-02-01', 'Issues everywhere: assigned to no one, before 2026-02-01'],
  ])('has a title that describes %s', async (query, title) => {
    await app.create.watchArea({ of: await app.create.user(), area: square(GREEN), token: 'the-token' })

    expect(textOf(await feedAt(query), 'title')).toBe(title)
  })

  it('contains no anonymous reporters, and no issues that are pending review or rejected', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    await app.create.issue({ summary: 'Unnamed', reporter: ben, anonymous: true })
    await app.create.issue({ summary: 'Held', reporter: ben, moderation_state: 'held' })
    await app.create.issue({ summary: 'Rejected', reporter: ben, moderation_state: 'rejected' })

    const answer = await app.as.user(ben).send('GET', FEED)

    const [entry, ...more] = entriesOf(parseXml(answer.text))
    expect(more).toEqual([])
    expect(childrenOf(entry as Element, 'author').map((author) => textOf(author, 'name'))).toEqual(['An anonymous user'])
    expect(answer.text).not.toContain('Ben Stone')
  })

  it('is well-formed XML for any text of an issue', async () => {
    const written = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...Array.from('\u0001\u0008\u000b\u001b\u007f\u0085\ufffe\uffff<>&"\']]>\n\t')),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      minLength: 1,
      maxLength: 80,
    })
    const issue = await app.create.issue()
    await fc.assert(
      fc.asyncProperty(written, written, async (summary, description) => {
        fc.pre(!`${summary}${description}`.includes('\0') && summary.trim() !== '')
        await app.db.prisma.issue.update({ where: { id: issue }, data: { summary, description } })

        const [entry] = entriesOf(await feedAt())

        const expected = summary.replaceAll(/[^\P{Cc}\t\n\r\u{7f}-\u{9f}]|[\ufffe\uffff]/gu, '\ufffd').replaceAll(/\r\n?/g, '\n')
        expect(textOf(entry as Element, 'title')).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })
})
