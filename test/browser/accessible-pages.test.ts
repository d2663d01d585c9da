import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import type { Language } from '../../src/errors/texts/languages.ts'
import { createBrowser } from '../helpers/browser.ts'
import { resetDatabase } from '../helpers/database.ts'
import { isLong } from '../helpers/long.ts'
import { accountPages } from '../web/languages/account-pages.ts'
import { apiPages } from '../web/languages/api-pages.ts'
import { createIssuePages, issuePages, openIssuePage, type People } from '../web/languages/issue-pages.ts'
import { createLanguageScenario, type LanguageScenario } from '../web/languages/scenario.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

/*
 * `npm test` looks at a sixth of the pages in one language, on a phone, in light colours: pages share their parts, and a look takes half a
 * second. `npm run test:long` looks at all pages, languages, widths and colour schemes. With SCREENSHOTS=folder, each page is also stored there
 * as a picture.
 */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const languages: readonly Language[] = isLong ? ['en', 'es', 'fr'] : ['en']
const widths = isLong ? [320, 768, 1280] : [320]
const schemes = isLong ? (['light', 'dark'] as const) : (['light'] as const)
const folder = process.env['SCREENSHOTS']
const looksAtAll = isLong || folder !== undefined
const chosen = <Item>(pages: readonly Item[]) => (looksAtAll ? pages : pages.filter((_, index) => index % 6 === 0))

interface Violations {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly target: unknown }[] }[]
}

describe.runIf(hasChromium)(`${looksAtAll ? 'every page' : 'every sixth page'}${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  let page: Page
  beforeAll(async () => {
    ;({ page } = await open('/favicon.ico'))
  })

  /** Shows a page that the app has sent, with its style sheets, in each width and colour scheme. */
  async function findViolations(name: string, text: string): Promise<string[]> {
    const found: string[] = []
    await page.route(`${origin}/page-of-test`, (route) => route.fulfill({ body: text, contentType: 'text/html; charset=utf-8' }))
    for (const width of widths) {
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await page.goto(`${origin}/page-of-test`)
        const at = `${width} px, ${colorScheme}`
        if (folder !== undefined) await store(`${name} ${at}`)
        await page.evaluate(axe)
        const { violations } = await page.evaluate<Violations>('axe.run({ resultTypes: ["violations"] })')
        found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${at}: ${id} ${String(target)}`)))
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        if (overflow > 0) found.push(`${at}: ${overflow} px wider than the screen`)
      }
    }
    await page.unroute(`${origin}/page-of-test`)
    return found
  }

  async function store(name: string): Promise<void> {
    mkdirSync(folder ?? '', { recursive: true })
    await page.screenshot({ path: join(folder ?? '', `${name.replace(/\W+/g, '-')}.png`), fullPage: true })
  }

  describe.each(languages)('of the map, issues and reports in %s', (language) => {
    let people: People
    beforeAll(async () => {
      await resetDatabase(app.db)
      people = await createIssuePages(app)
    })

    it.each(chosen(Object.entries(issuePages)))('has no violation of axe and fits a phone: %s', async (name, issuePage) => {
      const { text } = await openIssuePage(app, people, issuePage, language)

      expect(await findViolations(`${language} ${name}`, text)).toEqual([])
    })
  })

  describe('of the OGC API', () => {
    beforeAll(async () => {
      await resetDatabase(app.db)
      await createIssuePages(app)
    })

    it.each(chosen(apiPages))('has no violation of axe and fits a phone: %s', async (path) => {
      const { text } = await createBrowser(app.fastify).get(path)

      expect(await findViolations(path, text)).toEqual([])
    })
  })

  describe.each(languages)('of accounts, places, questions and moderation in %s', (language) => {
    let scenario: LanguageScenario
    beforeAll(async () => {
      await resetDatabase(app.db)
      scenario = await createLanguageScenario(app, language)
    })

    it.each(chosen(accountPages))('has no violation of axe and fits a phone: %s', async (name, load) => {
      const { text } = await load(scenario)

      expect(await findViolations(`${language} ${name}`, text)).toEqual([])
    })
  })
})
