import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Language } from '../../src/locales/texts.ts'
import { createBrowser } from '../helpers/browser.ts'
import { resetDatabase } from '../helpers/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { accountPages } from '../web/languages/account-pages.ts'
import { apiPages } from '../web/languages/api-pages.ts'
import { createIssuePages, issuePages, openIssuePage, type People } from '../web/languages/issue-pages.ts'
import { createLanguageScenario, type LanguageScenario } from '../web/languages/scenario.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

/*
 * `npm test` looks at one page of each template in one language, on a phone, in light colours, with drawn maps. `npm run test:long` looks at all
 * pages, languages, widths and colour schemes. With SCREENSHOTS=folder, each page is also stored there as a picture.
 */

const representatives = [
  ...[
    'the map',
    'an issue for an employee',
    'an issue that is offered, for its receiver',
    'the mail of a closing',
    'a rejected report for a caller',
    'the change of many issues',
    'the preview of a bulk run',
    'a pending issue for a moderator',
    'a rejected comment',
    'the flag form',
  ],
  ...['the point of a report', 'the types that match words', 'the questions of a type', 'a rejected report', 'an unknown page'],
  ...['/ogc?f=html', '/ogc/collections/issues/items?f=html', '/ogc/collections/issues/queryables?f=html'],
  ...[
    'POST /register as anonymous',
    '/privacy as anonymous',
    '/data as anonymous',
    '/data/dictionary as anonymous',
    '/offline as anonymous',
    '/users/:id',
    '/account/emails as ada',
    '/account/mails as ada',
  ],
  ...['/account/reports as ada', '/work as mia', 'a draft', '/account/watch-areas?done=watched as ada', '/watch as anonymous'],
  ...[
    '/places as anonymous',
    '/places/xyz as anonymous',
    '/places/xyz/numbers as anonymous',
    '/places/xyz/questions as anonymous',
    '/questions/:id as an answerer',
  ],
  ...['/organizations/1/manage as admin', 'the form of a question', 'the form of a calendar', 'the form of a prepared answer'],
  ...['/moderation as mia', '/moderation/:id of the flaggedItem', 'a picture to redact', 'dead letters', '/ops/trace of a event'],
]
const names = [...Object.keys(issuePages), ...apiPages, ...accountPages.map(([name]) => name)]
const unknown = representatives.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`No page is named ${unknown.join(' or ')}`)

const languages: readonly Language[] = isLong ? ['en', 'es', 'fr'] : ['en']
const widths = isLong ? [320, 768, 1280] : [320]
const schemes = isLong ? (['light', 'dark'] as const) : (['light'] as const)
const folder = process.env['SCREENSHOTS']
const looksAtAll = isLong || folder !== undefined
const isChosen = (name: string) => looksAtAll || representatives.includes(name)

describe.runIf(hasChromium)(`${looksAtAll ? 'every page' : 'one page of each template'}${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  let page: Page
  beforeAll(async () => {
    ;({ page } = await open('/favicon.ico', { webGl: looksAtAll }))
  })

  /** Shows a page that the app has sent, with its style sheets, in each width and colour scheme. */
  async function findInAll(name: string, text: string): Promise<string[]> {
    const found: string[] = []
    await page.route(`${origin}/page-of-test`, (route) => route.fulfill({ body: text, contentType: 'text/html; charset=utf-8' }))
    for (const width of widths) {
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await page.goto(`${origin}/page-of-test`)
        const at = `${width} px, ${colorScheme}`
        if (folder !== undefined) await store(`${name} ${at}`)
        found.push(...(await findViolations(page)).map((violation) => `${at}: ${violation}`))
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

    it.each(Object.entries(issuePages).filter(([name]) => isChosen(name)))(
      'has no violation of axe and fits a phone: %s',
      async (name, issuePage) => {
        const { text } = await openIssuePage(app, people, issuePage, language)

        expect(await findInAll(`${language} ${name}`, text)).toEqual([])
      },
    )
  })

  describe('of the OGC API', () => {
    beforeAll(async () => {
      await resetDatabase(app.db)
      await createIssuePages(app)
    })

    it.each(apiPages.filter(isChosen))('has no violation of axe and fits a phone: %s', async (path) => {
      const { text } = await createBrowser(app.fastify).get(path)

      expect(await findInAll(path, text)).toEqual([])
    })
  })

  describe.each(languages)('of accounts, places, questions and moderation in %s', (language) => {
    let scenario: LanguageScenario
    beforeAll(async () => {
      await resetDatabase(app.db)
      scenario = await createLanguageScenario(app, language)
    })

    it.each(accountPages.filter(([name]) => isChosen(name)))('has no violation of axe and fits a phone: %s', async (name, load) => {
      const { text } = await load(scenario)

      expect(await findInAll(`${language} ${name}`, text)).toEqual([])
    })
  })

  it('underlines the way to another spot and type, with and without scripts', async () => {
    const form = `/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`
    for (const options of [{ webGl: false }, { webGl: false, javaScriptEnabled: false }]) {
      const { page } = await open(form, options)
      const lines = page
        .locator('.spot :is(a, button):visible')
        .evaluateAll((controls) => controls.map((control) => getComputedStyle(control).textDecorationLine))
      expect(await lines).toEqual(['underline', 'underline'])
    }
  })

  it('shows the colours of statuses if the browser replaces the other colours', async () => {
    const dots = async (options: object) => {
      const { page } = await open('/places', { webGl: false, ...options })
      await page.setContent(
        `<link rel="stylesheet" href="${await page.locator('link[rel=stylesheet]').getAttribute('href')}"><b class="status open"></b>`,
      )
      return page.locator('.status').evaluate((status) => getComputedStyle(status, '::before').backgroundColor)
    }

    expect(await dots({ forcedColors: 'active' })).toBe(await dots({}))
  })
})
