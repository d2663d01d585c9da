import { describe, expect, it } from 'vitest'

import { FAR_AWAY } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

describe('GET /', () => {
  const app = useApp()
  const links = (text: string) => [...text.matchAll(/<a href="\/places\/([^"]+)">/g)].map(([, name]) => name)
  const home = (headers = {}) => app.as.anonymous.send('GET', '/', { headers })

  it('explains what to do next while there are no places', async () => {
    const { status, headers, text } = await home()

    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('There are no places yet')
    expect(text).toContain('npm run seed')
    expect(text).toContain('npm run import -- places')
  })

  it('lists the cities with their open issues, without the counties of the same area', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven-county', place_type: 'County' })
    await app.create.place({ name: 'East Haven', url_name: 'east-haven', around: FAR_AWAY })
    await app.create.issue()
    await app.create.issue({ status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
    await app.create.issue({ moderation_state: 'held' })

    const { text } = await home()

    expect(text).toContain('<h2>Cities</h2>')
    expect(links(text)).toEqual(['east-haven', 'new-haven'])
    expect([...text.matchAll(/\d+ open issues?/g)].map(([count]) => count)).toEqual(['0 open issues', '1 open issue'])
  })

  it('lists other places if there are no cities', async () => {
    await app.create.place({ url_name: 'some-county', place_type: 'County' })

    const { text } = await home()

    expect(text).toContain('<h2>Places</h2>')
    expect(links(text)).toEqual(['some-county'])
  })

  it('uses no script and nothing from other hosts, and its security policy forbids both', async () => {
    await app.create.place()

    const { headers, text } = await home()

    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; img-src 'self' data:; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(text).not.toMatch(/<script|<style|style="|\son\w+=/)
    const loaded = [...text.matchAll(/(?:src|rel="(?:icon|stylesheet)" href)="([^"]*)"/g)].map(([, url]) => url)
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter((url) => !url?.startsWith('/files/'))).toEqual([])
  })

  it('has a language, a title, landmarks, one heading and metadata for sharing', async () => {
    const { text } = await home()

    expect(text).toContain('<html lang="en">')
    expect(text).toContain('<title>Fixpoint</title>')
    expect(text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/"`)
    expect(text).toContain('<meta property="og:title" content="Fixpoint"')
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
