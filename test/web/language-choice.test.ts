import { describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

describe('the choice of a language', () => {
  const returnPath = async (path: string) => {
    const { text } = await createBrowser(app.fastify).get(path)
    return /name="return_to" value="([^"]*)">(?=<button class="plain" name="language")/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }

  it('is stored in a cookie and leads back to the page', async () => {
    const browser = createBrowser(app.fastify)

    const { status, headers } = await browser.post('/language', { language: 'fr', return_to: '/places?search=a' })

    expect([status, headers['location'], browser.jar.get('language')]).toEqual([303, '/places?search=a', 'fr'])
    expect((await browser.get('/places')).text).toContain('<html lang="fr">')
  })

  it('ignores unknown languages and addresses of other sites', async () => {
    const browser = createBrowser(app.fastify)

    const { headers } = await browser.post('/language', { language: 'xx', return_to: 'https://elsewhere.example/' })

    expect([headers['location'], browser.jar.has('language')]).toEqual(['/', false])
  })

  it.each([
    ['/?status=open,closed&page=1', '/?status=open,closed&page=1'],
    ['/?watcher_token=secret', '/'],
    ['/?search=a&watcher_token=secret&page=1', '/?search=a&page=1'],
    ['/?watcher%5Ftoken=secret&search=b', '/?search=b'],
    ['/login?return_to=%2Fissues%2F1', '/login?return_to=%2Fissues%2F1'],
    ['/login?return_to=%2F%3Fwatcher_token%3Dsecret', '/login'],
    ['/login?return_to=%2Flogin%3Freturn_to%3D%252F%253Fwatcher_token%253Dsecret', '/login'],
  ])('of %s leads back to %s, without credentials', async (path, returnTo) => {
    expect(await returnPath(path)).toBe(returnTo)
  })

  it.each([
    ['/no/such/page?a=1', 404, '/no/such/page?a=1'],
    ['/issues/xyz?watcher_token=secret&a=1', 404, '/issues/xyz?a=1'],
    ['/questions?page=x', 422, '/questions?page=x'],
  ])('of the error page at %s leads back to it', async (path, status, returnTo) => {
    expect((await createBrowser(app.fastify).get(path)).status).toBe(status)
    expect(await returnPath(path)).toBe(returnTo)
  })

  it.each(['/password/reset', '/emails/confirm', '/emails/revert'])('is not offered at %s of a mail', async (path) => {
    expect(await returnPath(path)).toBe(path)
    expect(await returnPath(`${path}?token=secret`)).toBeUndefined()
  })
})
