import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { argv, exit, stdout } from 'node:process'
import type { Page } from 'playwright-core'

import { launchChromium } from '../test/browser/launch.ts'

/*
 * Takes the pictures of docs/staff.md from a service with the demo: `node .ci/staff-pictures.ts http://127.0.0.1:3000`. It changes no issue.
 */

const FOLDER = 'docs/pictures'
const BYTES_MAX = 60_000
const [WIDE, PHONE] = [
  { width: 1100, height: 760 },
  { width: 390, height: 760 },
]

const base = argv[2] ?? ''
if (!URL.canParse(base)) {
  stdout.write('Give the address of a service with the demo.\n')
  exit(1)
}

interface Picture {
  readonly name: string
  readonly path: string | ((page: Page) => Promise<string>)
  readonly size?: typeof WIDE
  /** Prepares the page, such as a selection. */
  readonly act?: (page: Page) => Promise<void>
}

const selectTwo = async (page: Page) => {
  for (const index of [0, 1]) await page.locator('input[name="issue"]').nth(index).check()
}

const scrollTo = (selector: string) => (page: Page) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.scrollIntoView())

const firstIssue = async (page: Page) => (await page.locator('.worklist .what a').first().getAttribute('href')) ?? '/work'
const organization = async (page: Page) => (await page.locator('a[href$="/manage"]').first().getAttribute('href')) ?? '/work'

const pictures: readonly Picture[] = [
  { name: 'staff-list', path: '/work?status=open', act: selectTwo },
  { name: 'staff-phone', path: '/work?late=close', size: PHONE, act: scrollTo('#work-count') },
  { name: 'staff-issue', path: firstIssue, act: scrollTo('#staff') },
  { name: 'staff-answer', path: firstIssue, act: scrollTo('#say') },
  { name: 'staff-caller', path: '/report?lat=39.7392&lng=-104.9903&type=other', act: openCaller },
  { name: 'staff-bulk', path: '/bulk?status=open&late=acknowledge' },
  { name: 'staff-calendar', path: async (page) => `${await organization(page)}/calendars`, act: openFirst },
  { name: 'staff-numbers', path: '/places/denver/numbers' },
]

async function openCaller(page: Page): Promise<void> {
  await page.locator('select[name="on_behalf[channel]"]').selectOption('phone')
  await scrollTo('.caller')(page)
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('ul.rows a').first().click()
  await page.locator('textarea[name="holidays"]').waitFor()
}

const browser = await launchChromium({ webGl: false })
const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' })
const page = await context.newPage()
await page.goto(`${base}/login`)
await page.locator('[name="email"]').fill('official@denver.example.org')
await page.locator('[name="password"]').fill('demo-official')
await page.keyboard.press('Enter')
await page.waitForURL((url) => url.pathname !== '/login')
mkdirSync(FOLDER, { recursive: true })
for (const { name, path, size = WIDE, act } of pictures) {
  await page.setViewportSize(size)
  await page.goto(`${base}/work?late=close`)
  await page.goto(base + (typeof path === 'string' ? path : await path(page)), { waitUntil: 'networkidle' })
  await act?.(page)
  await page.waitForTimeout(500)
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60 })
  const file = `${FOLDER}/${name}.webp`
  writeFileSync(file, Buffer.from(data, 'base64'))
  const { size: bytes } = statSync(file)
  stdout.write(`${file} ${bytes}\n`)
  if (bytes > BYTES_MAX) exit(1)
}
await browser.close()
