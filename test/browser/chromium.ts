import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { isLong } from '../helpers/long.ts'
import { freePort } from '../kill/servers.ts'
import { type TestApp, useApp } from '../helpers/use-app.ts'
import { hasChromium, launchChromium } from './launch.ts'

export { hasChromium }
/** Part of a test's name where no browser is installed. */
export const skipped = hasChromium ? '' : ' (skipped: Chromium is not installed)'

export interface OpenPage {
  readonly page: Page
  /** Messages of the console, failed requests and requests to other hosts; none is the promise of every page. */
  readonly complaints: readonly string[]
  /** Paths of all requests, also those of workers. */
  readonly requests: readonly string[]
}

interface OpenOptions extends BrowserContextOptions {
  readonly webGl?: boolean
  /** The user who is logged in. */
  readonly as?: TestUser
}

export interface BrowserTest {
  readonly app: TestApp
  readonly origin: string
  open(path: string, options?: OpenOptions): Promise<OpenPage>
}

/**
 * The desk layout in its smallest window: each frame of a map takes processor time by its pixels, as there is no graphics card. With reduced motion
 * maps move without frames in between; `npm run test:long` has the animations.
 */
const SCREEN = { viewport: { width: 900, height: 640 }, reducedMotion: isLong ? 'no-preference' : 'reduce' } as const

const port = await freePort()
const origin = `http://127.0.0.1:${port}`

/** Opens the real app at an address of this machine, and pages of it in Chromium. `env` has further variables of the app. */
export function useBrowser(env: Readonly<Record<string, string>> = {}): BrowserTest {
  const app = useApp({ ownApp: true, keepRows: true, env: { PUBLIC_URL: origin, ...env } })
  const browsers = new Map<boolean, Promise<Browser>>()
  const contexts: BrowserContext[] = []
  let isInTest = false
  beforeAll(() => app.fastify.listen({ host: '127.0.0.1', port }))
  beforeEach(() => {
    isInTest = true
  })
  // A map that stays open takes processor time from the following tests.
  afterEach(async () => {
    isInTest = false
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  })
  afterAll(async () => {
    for (const browser of browsers.values()) await (await browser).close()
  })
  const launch = (webGl: boolean) => {
    const browser = browsers.get(webGl) ?? launchChromium({ webGl })
    browsers.set(webGl, browser)
    return browser
  }
  return {
    app,
    origin,
    async open(path, { webGl = true, as, ...options } = {}) {
      const context = await (await launch(webGl)).newContext({ ...SCREEN, serviceWorkers: 'block', ...options })
      if (isInTest) contexts.push(context)
      const { jar } = as ? await createLoggedInBrowser(app, as) : { jar: [] }
      await context.addCookies([...jar].map(([name, value]) => ({ name, value, url: origin })))
      const page = await context.newPage()
      const complaints: string[] = []
      const requests: string[] = []
      page.on('console', (message) => {
        // Chromium itself warns of slow drawing without a graphics card, and Playwright of the worker that it blocks.
        if (['error', 'warning'].includes(message.type()) && !/GPU|WebGL|blocked by Playwright/.test(message.text()))
          complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('request', (request) => {
        const url = new URL(request.url())
        requests.push(url.pathname)
        if (url.protocol === 'http:' && url.origin !== origin) complaints.push(`request to ${url.href}`)
      })
      await page.goto(`${origin}${path}`)
      return { page, complaints, requests }
    },
  }
}
