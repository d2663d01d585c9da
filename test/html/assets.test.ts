import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { categories, toCategory } from '../../src/issues/categories.ts'
import { useApp } from '../helpers/use-app.ts'

const icons = readdirSync(new URL('../../src/html/files/icons/', import.meta.url))

describe('/files', () => {
  const app = useApp({ keepRows: true })
  const get = (url: string, headers = {}) => app.as.anonymous.send('GET', url, { headers })

  it('has exactly one icon for each category, for avatars and for places', () => {
    expect([...icons].sort()).toEqual([...categories, 'avatar', 'place'].map((name) => `${name}.svg`).sort())
  })

  it.each(icons)('serves icons/%s as an image that browsers cache for a day', async (icon) => {
    const { status, headers, text } = await get(`/files/icons/${icon}`)

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(headers.vary).toBeUndefined()
    expect(text).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 64 64" width="64" height="64" role="img" aria-label="/,
    )
    expect(text).not.toMatch(/<script|href|\son\w+=/)
  })

  it('returns 304 for a matching ETag', async () => {
    const { headers } = await get('/files/icons/tree.svg')

    expect((await get('/files/icons/tree.svg', { 'if-none-match': headers.etag })).status).toBe(304)
  })

  it('sends all files of the style folder as one style sheet, and 304 for its ETag', async () => {
    const folder = new URL('../../src/html/style/', import.meta.url)
    const files = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))

    const { headers, text } = await get('/files/style.css')

    expect(headers).toMatchObject({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=86400' })
    for (const file of files) expect(text).toContain(file)
    expect((await get('/files/style.css', { 'if-none-match': headers.etag })).status).toBe(304)
  })

  it('returns 404 for an unknown category, and pages fall back to the icon of other', async () => {
    const issue = await app.create.issue({ category: 'dragon' })

    const { body } = await app.as.anonymous.get(`/issues/${issue}`)

    expect((await get('/files/icons/dragon.svg')).status).toBe(404)
    expect(toCategory('dragon')).toBe('other')
    expect(body).toMatchObject({ media: { representative_image_url: 'http://fixpoint.test/files/icons/other.svg' } })
  })

  it.each([
    '/files/',
    '/files/icons',
    '/files/icons/',
    '/files/../routes.ts',
    '/files/%2e%2e/routes.ts',
    '/files/icons/..%2f..%2froutes.ts',
  ])('has nothing at %s', async (url) => {
    expect((await get(url)).status).toBe(404)
  })

  it.each([
    ['/files/style.css', 'text/css; charset=utf-8'],
    ['/files/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/vnd.microsoft.icon'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
  ])('serves %s as %s', async (url, type) => {
    const { status, headers } = await get(url)

    expect([status, headers['content-type']]).toEqual([200, type])
  })

  it('loads nothing from another host in the style sheet', async () => {
    expect((await get('/files/style.css')).text).not.toMatch(/url\(|@import|https?:/)
  })
})
