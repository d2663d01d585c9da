import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /places/:url_name', () => {
  const app = useApp()
  const place = (query = '', headers = {}) => app.as.anonymous.send('GET', `/places/new-haven${query}`, { headers })
  const summaries = (text: string) => [...text.matchAll(/<h3><a [^>]*>([^<]*)</g)].map(([, summary]) => summary)

  it('shows the issues of the place, newest first, on a map and in a list', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.issue({ summary: 'Older', created_at: '2026-01-01T00:00:00Z' })
    await app.create.issue({ summary: 'Newer', created_at: '2026-02-01T00:00:00Z', address: 'Green Street' })
    await app.create.issue({ summary: 'Elsewhere', at: FAR_AWAY })
    await app.create.issue({ summary: 'Held', moderation_state: 'held' })

    const { status, text } = await place()

    expect(status).toBe(200)
    expect(summaries(text)).toEqual(['Newer', 'Older'])
    expect(text).toContain('<h1>New Haven</h1>')
    expect(text).toContain('City · Some County · CT')
    expect(text).toContain('src="/map/drawing.svg?place_url=new-haven" alt="Map of New Haven with 2 issues as coloured dots"')
    const drawing = await app.as.anonymous.send('GET', '/map/drawing.svg?place_url=new-haven')
    expect(drawing.text).toMatch(/<path class="outline" d="M[\d. LM-]+Z"/)
    expect(drawing.text).toMatch(/<text class="name" x="[\d.]+" y="[\d.]+">New Haven<\/text>/)
    expect(text).toContain(
      `width="${/width="(\d+)"/.exec(drawing.text)?.[1]}" height="${/height="(\d+)"/.exec(drawing.text)?.[1]}"`,
    )
    expect(text).toContain('href="/places/new-haven/report"')
    expect(text).toContain('href="/data?place_url=new-haven"')
    expect(text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/places/new-haven"`)
  })

  it('names the kind of place in the language of the page', async () => {
    await app.create.place({ url_name: 'new-haven', place_type: 'City' })
    await app.create.place({ url_name: 'the-ward', place_type: 'Ward' })

    const spanish = { 'accept-language': 'es' }
    const ward = await app.as.anonymous.send('GET', '/places/the-ward', { headers: spanish })

    expect((await place('', spanish)).text).toContain('Ciudad')
    expect(ward.text).toContain('Ward')
  })

  it('names cities on the drawn map of a country first, then places with room for a name, within the edges', async () => {
    await app.create.place({ name: 'New Haven', place_type: 'City', boundary: square(GREEN, 0.02) })
    await app.create.place({ name: 'Wooster Square', place_type: 'Neighborhood', boundary: square(GREEN, 0.01) })
    await app.create.place({ name: 'Connecticut', place_type: 'State', boundary: square(GREEN, 4) })
    const country = `min_lng=${GREEN.lng - 1}&max_lng=${GREEN.lng + 20}&min_lat=${GREEN.lat - 10}&max_lat=${GREEN.lat + 10}`

    const { text } = await app.as.anonymous.send('GET', `/map/drawing.svg?${country}`)

    const names = [...text.matchAll(/<text class="name" x="([\d.]+)"[^>]*>([^<]*)/g)]
    expect(names.map(([, , name]) => name)).toEqual(['New Haven', 'Connecticut'])
    expect(names.every(([, x]) => Number(x) > 40)).toBe(true)
  })

  it('filters by status, which is a part of the URL', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await app.create.issue({ summary: 'Open one' })
    await app.create.issue({ summary: 'Archived one', status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })

    const { text } = await place('?status=archived')

    expect(summaries(text)).toEqual(['Archived one'])
    expect(text).toContain('<a href="/places/new-haven?status=archived" aria-current="true">Archived</a>')
    expect(text).toContain('href="/data?place_url=new-haven&amp;status=archived"')
    const feed = 'href="/feeds/issues.atom?place_url=new-haven&amp;status=archived"'
    expect(text).toContain(`<link rel="alternate" type="application/atom+xml" title="Issues in new-haven" ${feed}>`)
    expect(text).toContain(`<a ${feed}>Follow new-haven in a feed reader</a>`)
  })

  it('filters by search text and keeps it in the form', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await app.create.issue({ summary: 'Pothole' })
    await app.create.issue({ summary: 'Broken lamp' })

    const found = await place('?search=pothole')
    const nothing = await place('?search=dragon')

    expect(summaries(found.text)).toEqual(['Pothole'])
    expect(found.text).toContain('value="pothole"')
    expect(nothing.text).toContain('No current issue of new-haven with “dragon” in it.')
    expect(nothing.text).toContain('href="/places/new-haven?status=open%2Cacknowledged%2Cclosed%2Carchived&amp;search=dragon"')
  })

  it('shows the counts of the issues on the map', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await app.create.issue({ summary: 'Pothole' })
    await app.create.issue({ summary: 'Broken lamp' })
    await app.create.issue({ summary: 'Deep pothole', status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
    await app.create.issue({ summary: 'Old pothole', status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
    const legend = async (query: string) =>
      [...(await place(query)).text.matchAll(/<li class="\w+">(\w+) <b>(\d+)</g)].map(([, status, count]) => `${status} ${count}`)

    expect(await legend('')).toEqual(['Open 2', 'Acknowledged 0', 'Closed 1'])
    expect(await legend('?search=pothole')).toEqual(['Open 1', 'Acknowledged 0', 'Closed 1'])
    expect(await legend('?search=dragon')).toEqual(['Open 0', 'Acknowledged 0', 'Closed 0'])
    expect(await legend('?search=pothole&status=archived')).toEqual(['Archived 1'])
  })

  it.each([
    ['?status=closed', 'No closed issue of new-haven.'],
    [
      '?search=dragon&status=open,acknowledged,closed,archived',
      'No issue of new-haven with “dragon” in it, not even an archived one.',
    ],
    ['?page=3', 'This page of the list is empty. <a href="/places/new-haven">'],
  ])('explains for %s why the list is empty, and links to another list', async (query, words) => {
    await app.create.place({ url_name: 'new-haven' })
    await app.create.issue()

    const { text } = await place(query)

    expect(text).toContain(words)
    expect(text).toMatch(/<p class="empty">[^]*<a href="\/places\/new-haven[^]*<\/p>/)
  })

  it('has pages that keep the filters', async () => {
    await app.create.place({ url_name: 'new-haven' })
    for (let number = 1; number <= 21; number++) await app.create.issue({ summary: `Pothole ${number}` })

    const first = await place('?search=pothole&status=open')

    expect(first.text).toContain('Page 1 of 2')
    expect(first.text).toContain('<a rel="next" href="/places/new-haven?status=open&amp;search=pothole&amp;page=2">')
    expect(summaries((await place('?search=pothole&status=open&page=2')).text)).toHaveLength(1)
  })

  it('explains that there are no issues yet', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })

    expect((await place()).text).toContain('Nothing is reported in New Haven yet')
  })

  it('escapes names and summaries', async () => {
    const name = `<script>alert('place')</script>`
    await app.create.place({ name, url_name: 'new-haven' })
    await app.create.issue({ summary: `"><img src=x onerror=alert(1)>`, address: `'><script>1</script>` })

    const { text } = await place()

    expect(text.replaceAll(/<script type="application\/ld\+json">[^<]*<\/script>/g, '')).not.toMatch(/<script>|'><script/)
    expect(text).not.toContain('<img src=x')
    expect(text).toContain('<h1>&lt;script&gt;alert(&#39;place&#39;)&lt;/script&gt;</h1>')
  })

  it('returns 304 for a matching ETag, and 200 after an issue changed', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const issue = await app.create.issue({ summary: 'Before' })
    const { etag = '' } = (await place()).headers

    const unchanged = await place('', { 'if-none-match': String(etag) })
    await app.db.prisma.issue.update({ where: { id: issue }, data: { summary: 'After' } })
    const changed = await place('', { 'if-none-match': String(etag) })

    expect(unchanged.status).toBe(304)
    expect(changed.status).toBe(200)
  })

  it('returns 404 for an unknown place', async () => {
    expect((await app.as.anonymous.send('GET', '/places/atlantis')).status).toBe(404)
  })

  it('draws a place on the antimeridian', async () => {
    await app.create.place({ url_name: 'new-haven', around: { lng: 179.95, lat: GREEN.lat }, size: 0.04 })
    await app.create.issue({ at: { lng: 179.95, lat: GREEN.lat } })

    const { status, text } = await place()

    expect(status).toBe(200)
    expect(text).not.toMatch(/NaN|Infinity/)
  })
})
