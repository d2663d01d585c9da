import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

describe('GET /places', () => {
  const app = useApp()
  const places = (query = '') => app.as.anonymous.send('GET', `/places${query}`)
  const names = (text: string) => [...text.matchAll(/<h3><a [^>]*>([^<]*)</g)].map(([, name]) => name)

  it('finds places by a part of their name, without regard to case and accents', async () => {
    await app.create.place({ name: 'San José', url_name: 'san-jose' })
    await app.create.place({ name: 'Denver', url_name: 'denver' })

    const { text } = await places('?search=JOSE')

    expect(names(text)).toEqual(['San José'])
    expect(text).toContain('<meta name="robots" content="noindex"')
  })

  it('reports an empty search result and escapes the search text', async () => {
    await app.create.place({ name: 'Denver', url_name: 'denver' })

    const { status, text } = await places(`?search=${encodeURIComponent('"><script>alert(1)</script>%_')}`)

    expect(status).toBe(200)
    expect(text).toContain('No place has that in its name')
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;%_"')
    expect(text).not.toContain('<script')
  })

  it('lists the places near a point by distance, and marks those that contain it', async () => {
    await app.create.place({ name: 'Elsewhere', url_name: 'elsewhere', around: FAR_AWAY })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', around: GREEN })

    const near = await places(`?lat=${GREEN.lat}&lng=${GREEN.lng}`)
    const half = await places(`?lat=${GREEN.lat}`)

    expect(names(near.text)).toEqual(['New Haven', 'Elsewhere'])
    expect([...near.text.matchAll(/(Contains|Does not contain) the point/g)].map(([text]) => text)).toEqual([
      'Contains the point',
      'Does not contain the point',
    ])
    expect(near.text).toContain('Nearest first')
    expect(half.status).toBe(422)
  })

  it('has pages that keep the search', async () => {
    for (let number = 1; number <= 21; number++) {
      await app.create.place({ name: `Town ${String(number).padStart(2, '0')}`, url_name: `town-${number}` })
    }

    const first = await places('?search=town')
    const second = await places('?search=town&page=2')
    const past = await places('?page=9')

    expect(names(first.text)).toHaveLength(20)
    expect(first.text).toContain('<a rel="next" href="/places?search=town&amp;page=2">')
    expect(names(second.text)).toEqual(['Town 21'])
    expect(second.text).toContain('<a rel="prev" href="/places?search=town&amp;page=1">')
    expect(past.status).toBe(200)
    expect(past.text).toContain('There is nothing on this page')
    expect(past.text).toContain('<a rel="prev" href="/places?page=2">')
  })

  it('caches only large counts, for a minute', async () => {
    await app.create.place({ name: 'Village', url_name: 'village', around: FAR_AWAY })
    await app.create.place({ name: 'City', url_name: 'city' })
    await app.create.issue({ at: FAR_AWAY })
    const row = { summary: 'One of many', ...GREEN }
    await app.db.prisma.issue.createMany({ data: Array<typeof row>(100).fill(row) })

    const before = await places()
    await app.create.issue({ at: FAR_AWAY })
    await app.create.issue({ at: GREEN })
    const after = await places()

    expect(before.text).toMatch(/100 open issues[^]*1 open issue</)
    expect(after.text).toMatch(/100 open issues[^]*2 open issues</)
  })

  it('returns an HTML page for an invalid page number', async () => {
    const { status, text } = await app.as.anonymous.send('GET', '/places?page=two', { headers: { accept: 'text/html' } })

    expect(status).toBe(422)
    expect(text).toContain('<li>Page: must be a whole number</li>')
  })
})
