import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn } from '../../http/app-on.ts'

const app = useApp()
const paths = ['/about', '/privacy', '/terms', '/data'] as const

describe('the pages about the service', () => {
  it('are linked in the footer of each page, and can be cached and indexed', async () => {
    const browser = createBrowser(app.fastify)
    const home = await browser.get('/places')

    const pages = []
    for (const path of paths) pages.push(await browser.get(path))

    for (const path of paths) expect(home.text).toContain(`<a href="${path}">`)
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(pages.map(({ text }) => /<link rel="canonical" href="([^"]*)"/.exec(text)?.[1])).toEqual(
      paths.map((path) => `http://fixpoint.test${path}`),
    )
    expect(pages[0]?.visibleText).toContain('The data is licensed under CC BY-NC-SA 3.0 US')
    expect(pages[1]?.visibleText).toContain('as keyed hashes: 90 days after the last login from there')
  })

  it.each(['en', 'es', 'fr'])('name every cookie of the service: %s', async (language) => {
    const { visibleText } = await createBrowser(app.fastify).get('/privacy', { 'accept-language': language })

    for (const cookie of ['fixpoint_session', 'fixpoint_device', 'fixpoint_draft', 'fixpoint_webhook', '(language)'])
      expect(visibleText).toContain(cookie)
  })

  it.each([
    ['City Hall <city@example.org>', 'This site is operated by City Hall ( city@example.org ).'],
    ['city@example.org', 'This site is operated by city@example.org .'],
    ['', 'The operator of this site has not entered an address.'],
  ])('name the operator in CONTACT: %s', async (CONTACT, sentence) => {
    const { fastify } = await appOn(app.db, { CONTACT })

    const { text, visibleText } = await createBrowser(fastify).get('/privacy')

    expect(visibleText).toContain(sentence)
    expect(text.includes('href="mailto:city@example.org"')).toBe(CONTACT !== '')
  })
})
