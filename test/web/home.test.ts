import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /', () => {
  const app = useApp()
  const links = (text: string) => [...text.matchAll(/<a href="\/\?place_url=([^"&]+)"/g)].map(([, name]) => name)
  const home = (headers = {}) => app.as.anonymous.send('GET', '/', { headers })

  it('explains what to do next while there are no places', async () => {
    const { status, headers, text } = await home()

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('There are no places yet')
    expect(text).toContain('npm run seed')
    expect(text).toContain('npm run import -- places')
  })

  it('links the cities, without the counties of the same area, or other places if there are no cities', async () => {
    await app.create.place({ name: 'Some County', url_name: 'some-county', place_type: 'County' })
    expect(links((await home()).text)).toEqual(['some-county'])

    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ name: 'East Haven', url_name: 'east-haven', around: FAR_AWAY })

    expect(links((await home()).text)).toEqual(['east-haven', 'new-haven'])
  })

  it('lists the issues of an area and of filters with the number of the API, without archived and hidden ones', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', around: GREEN })
    await app.create.issue({ summary: 'Pothole', at: GREEN })
    await app.create.issue({ summary: 'Lamp', at: GREEN, status: 'Acknowledged' })
    await app.create.issue({ summary: 'Archived', at: GREEN, status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
    await app.create.issue({ summary: 'Pending', at: GREEN, moderation_state: 'held' })
    await app.create.issue({ summary: 'Elsewhere', at: FAR_AWAY })
    const list = async (query: string) => {
      const { text } = await app.as.anonymous.send('GET', `/?${query}`)
      return [
        /<h2[^>]*><span[^>]*>([^<]*)</.exec(text)?.[1],
        [...text.matchAll(/<h3><a [^>]*>([^<]*)</g)].map(([, summary]) => summary),
      ]
    }

    expect(await list('place_url=new-haven')).toEqual(['2 issues', ['Lamp', 'Pothole']])
    expect(await list('place_url=new-haven&status=open&search=')).toEqual(['1 issue', ['Pothole']])
    expect(await list('search=else&after=2000-01-01&before=')).toEqual(['1 issue', ['Elsewhere']])
    expect(await list('min_lat=0&min_lng=0&max_lat=1&max_lng=1')).toEqual(['0 issues', []])
  })

  it('shows every filter of a link in the form, which keeps it', async () => {
    const ada = await app.create.user({ name: 'Ada' })
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const other = await app.create.requestType({ title: 'Pothole', organization: await app.create.organization() })
    const lamp = await app.create.requestType({ title: 'Lamp' })
    const browser = await createLoggedInBrowser(app, ada)
    const chosen = async (query: string) => {
      const { text } = await browser.get(`/?${query}`)
      return [...text.matchAll(/<option value="([^"]*)" selected>([^<]*)/g)].map(([, ...option]) => option)
    }

    expect(await chosen(`request_types=${pothole},${other}&assigned=unassigned`)).toEqual([
      [`${pothole},${other}`, 'Pothole'],
      ['unassigned', 'No one'],
    ])
    expect(await chosen(`request_types=${other},${lamp}&assigned_to_me=true`)).toEqual([
      [`${other},${lamp}`, 'Lamp, Pothole'],
      [String(ada.id), 'Me'],
    ])
  })

  it('has a legend of the statuses that it shows', async () => {
    const legend = async (query: string) => {
      const { text } = await app.as.anonymous.send('GET', `/?${query}`)
      return [...text.matchAll(/<li class="\w+" data-status="(\w+)">/g)].map(([, status]) => status)
    }

    expect((await app.as.anonymous.send('GET', '/')).text).toContain('<details class="map-legend"><summary>Legend</summary>')
    expect(await legend('')).toEqual(['open', 'acknowledged', 'closed'])
    expect(await legend('status=Archived,open')).toEqual(['open', 'archived'])
  })

  it('blames the filters for an empty list only if there are filters', async () => {
    await app.create.place()
    const emptyText = async (query: string) => {
      const { text } = await app.as.anonymous.send('GET', `/?${query}`)
      return /<p class="empty">([^<]*)/.exec(text)?.[1]?.trim()
    }

    expect(await emptyText('')).toBe('No issues here yet. Zoom out or move the map to see others.')
    expect(await emptyText('status=open')).toBe('No issue in this view matches the filters.')
    expect(await emptyText('search=lamp')).toBe('No issue in this view matches the filters.')
  })

  it('answers 422 with the field for half a box', async () => {
    const { status, text } = await app.as.anonymous.send('GET', '/?min_lat=1')

    expect([status, text]).toEqual([422, expect.stringContaining('max_lat')])
  })

  it('ignores the token of a watch area and repeats it in no link', async () => {
    const { status, text } = await app.as.anonymous.send('GET', '/?watcher_token=a-secret')

    expect([status, text]).toEqual([200, expect.not.stringContaining('a-secret')])
  })

  it('loads nothing from other hosts, and its security policy forbids it', async () => {
    await app.create.place()

    const { headers, text } = await home()

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; img-src 'self' data:; style-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'",
    )
    expect(text).not.toMatch(/<style|style="|\son\w+=/)
    const loaded = [...text.matchAll(/(?:src|rel="(?:icon|stylesheet)" href)="([^"]*)"/g)].map(([, url]) => url)
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter((url) => !url?.startsWith('/files/') && !url?.startsWith('/map/'))).toEqual([])
  })

  it('has a language, a title, landmarks, one heading and metadata for sharing', async () => {
    const { text } = await home()

    expect(text).toContain('<html lang="en">')
    expect(text).toContain('<title>Map of issues · Fixpoint</title>')
    expect(text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/"`)
    expect(text).toContain('<meta property="og:title" content="Map of issues"')
    expect(text).toMatch(/<header[^]*<nav aria-label="Main"[^]*<main id="content"[^]*<footer/)
    expect(text.match(/<h1/g)).toHaveLength(1)
  })

  it('returns 304 for a matching ETag', async () => {
    const first = await home()

    const again = await home({ 'if-none-match': first.headers.etag })

    expect(first.headers['cache-control']).toBe('public, no-cache')
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
  })

  it('returns no body for HEAD', async () => {
    const { status, text } = await app.as.anonymous.send('HEAD', '/')

    expect([status, text]).toEqual([200, ''])
  })
})
