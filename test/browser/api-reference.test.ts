import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { textsIn } from '../../src/locales/texts.ts'
import { isLong } from '../helpers/long.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

const screens = [
  [320, 'light'],
  [320, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const

describe.runIf(hasChromium)(`GET /docs in a browser${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  const search = (page: Page, phrase: string) => page.getByRole('textbox', { name: 'Find an operation' }).fill(phrase)
  const waitForOperations = (page: Page, count: number) =>
    expect.poll(() => page.locator('.opblock').count(), { timeout: 10_000 }).toBe(count)
  const openOperation = (page: Page) => page.locator('.opblock-summary-control').first().click()
  const shownPaths = (page: Page) =>
    page.evaluate<string[]>('[...document.querySelectorAll(".opblock-summary-path")].map((path) => path.dataset.path)')

  it.runIf(isLong).each(screens)('has no violation of axe and fits the screen: %i px, %s', async (width, colorScheme) => {
    const { page, complaints } = await open('/docs', { viewport: { width, height: 800 }, colorScheme })
    await page.waitForSelector('.opblock')
    const whole = await findViolations(page)

    await search(page, 'report an issue')
    await waitForOperations(page, 1)
    await openOperation(page)
    await page.waitForSelector('.body-param__text[aria-label]')
    const opened = await findViolations(page)
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.waitForSelector('.close-modal[aria-label]')
    const dialog = await findViolations(page)

    expect({ whole, opened, dialog, complaints }).toEqual({ whole: [], opened: [], dialog: [], complaints: [] })
  })

  it('finds operations by words of path, method and summary, with a name in the language that the visitor has chosen', async () => {
    const { page, complaints } = await open('/docs', { extraHTTPHeaders: { cookie: 'language=fr', 'accept-language': 'es' } })
    const field = page.getByRole('textbox', { name: 'Trouver une opération' })
    await page.waitForSelector('.opblock')

    await field.fill('COMMENTS flag post')
    await waitForOperations(page, 1)
    const byWords = await shownPaths(page)
    await field.fill('no such operation')
    await waitForOperations(page, 0)
    await field.fill('')
    await page.waitForSelector('.opblock')

    expect(byWords).toEqual(['/api/v2/comments/{id}/flag'])
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('leads back to the service, and has an address for each operation', async () => {
    const { page } = await open('/docs')
    await search(page, 'report an issue')
    await waitForOperations(page, 1)
    await openOperation(page)
    const { hash } = new URL(page.url())

    await page.getByRole('link', { name: 'Fixpoint', exact: true }).click()

    expect({ hash, address: page.url() }).toEqual({ hash: '#/Issues/createIssue', address: `${origin}/` })
  })

  it.each(['en', 'es', 'fr'] as const)(
    'has the menu and the search in the language of the page, and English operations: %s',
    async (language) => {
      const { text, headers } = await app.as.anonymous.send('GET', '/docs', { headers: { 'accept-language': language } })
      const texts = textsIn(language)

      expect(text).toContain(`<html lang="${language}">`)
      expect(text).toContain(`<div id="swagger-ui" lang="en" data-filter="${texts('apiReference.search')}"`)
      expect(text).toContain(`>${texts('layout.report')}</a>`)
      expect(text).toContain(texts('apiReference.needsScript'))
      expect(headers['vary']).toContain('Accept-Language')
    },
  )

  it('links the document for readers without JavaScript', async () => {
    const { text } = await app.as.anonymous.send('GET', '/docs')

    expect(text).toMatch(/<noscript>.*<a href="\/docs\/json">/)
  })
})
