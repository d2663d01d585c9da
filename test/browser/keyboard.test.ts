import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square, type TestUser } from '../helpers/factories.ts'
import { createDraftMails } from '../web/report/draft-mails.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

/* Complaint about other services: "The map is shut to keyboards". No test here uses a mouse, a finger or `focus()`. */

const SOUTH = { lat: GREEN.lat - 0.01, lng: GREEN.lng }
const ready = '#map[data-state=ready]'
const STOPS_MAX = 60

interface Stop {
  readonly name: string
  /** True if an outline, or a shadow as on the controls of the map, shows where the focus is. */
  readonly isMarked: boolean
  readonly isInView: boolean
}

/** Runs in the page. The box of a file field is not visible: its label is marked. */
function readStop(): Stop {
  const element = document.activeElement ?? document.body
  const shown = element.matches('.covered') ? (element.nextElementSibling ?? element) : element
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(shown)
  const { top, bottom, left, right } = shown.getBoundingClientRect()
  const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? [...(element.labels ?? [])] : []
  const texts = [element.getAttribute('aria-label'), ...labels.map((label) => label.textContent), element.textContent]
  return {
    name: texts.map((text) => text?.trim()).find((text) => text) ?? element.tagName,
    isMarked: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none',
    isInView: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
  }
}

/** Presses Tab until an element with the name has the focus, and expects that the focus is visible at each stop. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const stops: Stop[] = []
  do {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate(readStop))
  } while (!matches(stops.at(-1)?.name ?? '', name) && stops.length < STOPS_MAX)
  expect(stops.filter(({ isMarked, isInView }) => !isMarked || !isInView)).toEqual([])
  expect(stops.at(-1)?.name).toMatch(name)
}

const matches = (text: string, name: string | RegExp) => (typeof name === 'string' ? text === name : name.test(text))

describe.runIf(hasChromium)(`by keyboard alone, with the focus always visible${skipped}`, () => {
  const { app, open, origin } = useBrowser()
  const { receive } = createDraftMails(app)
  let ada: TestUser
  let pothole: number

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    pothole = await app.create.issue({ summary: 'Pothole', reporter: ada, at: SOUTH })
  })

  it('a resident reports from the map to the published page', async () => {
    const { page, complaints } = await open('/places/new-haven', { as: ada })
    const { keyboard } = page

    await tabTo(page, 'Report a problem here')
    await keyboard.press('Enter')
    await page.waitForSelector(ready)
    await tabTo(page, 'Skip to the content')
    await keyboard.press('Enter')
    await tabTo(page, 'Map')
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await page.getByText('Spot chosen').waitFor()
    await tabTo(page, 'Continue')
    await keyboard.press('Enter')
    await page.waitForURL('**/report?lat=*&lng=*')
    await tabTo(page, 'Other')
    await keyboard.press('Enter')
    await page.waitForURL('**/*type=other*')
    await tabTo(page, /^What is the problem\?/)
    await keyboard.type('Deep hole')
    await tabTo(page, /^Address/)
    await keyboard.type('1 Elm Street')
    await tabTo(page, 'Send the report')
    await keyboard.press('Enter')

    await page.waitForURL('**/issues/*?reported=now')
    expect(await page.locator('h1').textContent()).toBe('Deep hole')
    expect(complaints).toEqual([])
  })

  it('a visitor sends a report by e-mail, publishes it from the mail and gets a password', async () => {
    const { page, complaints } = await open(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`, { webGl: false })
    const { keyboard } = page

    await tabTo(page, /^What is the problem\?/)
    await keyboard.type('Broken bench')
    await tabTo(page, /^Address/)
    await keyboard.type('2 Elm Street')
    await tabTo(page, 'Continue')
    await keyboard.press('Enter')
    await page.waitForURL('**/report/draft')
    await tabTo(page, 'Your e-mail address')
    await keyboard.type('rosa@example.org')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    await page.goto(origin + (/\/report\/draft\/open\?token=\S+/.exec((await receive())[0]?.text ?? '')?.[0] ?? ''))
    await tabTo(page, 'Publish the report')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await tabTo(page, 'Password')
    await keyboard.type('correct horse')
    await keyboard.press('Enter')

    await page.getByText('Your password is set.').waitFor()
    expect(complaints).toEqual([])
  })

  it('a resident reports at the cross of the map', async () => {
    const { page, complaints } = await open(`/?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=18`)
    const { keyboard } = page
    await page.waitForSelector(ready)

    await tabTo(page, /^Map\. Enter/)
    await keyboard.press('Enter')
    await keyboard.press('Escape')
    expect(await page.locator('.report-offer').count()).toBe(0)
    await keyboard.press('Enter')
    await keyboard.press('Enter')

    await page.waitForURL(`**/report?lat=41.308*&lng=-72.92*`)
    expect(await page.locator('section.spot').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('a visitor moves the map, and opens an issue of the list', async () => {
    const { page } = await open('/?place_url=new-haven')
    const { keyboard } = page
    await page.waitForSelector(ready)

    await tabTo(page, 'Skip to the content')
    await keyboard.press('Enter')
    await tabTo(page, /^Map\. Enter/)
    await keyboard.press('=')
    await page.waitForURL('**/?*view=*')
    await tabTo(page, 'Pothole')
    expect(await page.locator('.map-highlight').count()).toBe(1)
    await keyboard.press('Enter')

    await page.waitForURL(`**/issues/${pothole}`)
  })

  it('shows the field of the address at a zoom of 400 %, above the button that stays at the bottom', async () => {
    const { page } = await open('/places/new-haven/report', { viewport: { width: 320, height: 256 } })
    await page.locator(ready).waitFor()
    const isOnTop = () =>
      page.evaluate(() => {
        const { x, y, width, height } = (document.activeElement as Element).getBoundingClientRect()
        return document.elementFromPoint(x + width / 2, y + height / 2) === document.activeElement
      })

    await tabTo(page, /^Address/)
    const field = await isOnTop()
    await tabTo(page, 'Search')

    expect([field, await isOnTop()]).toEqual([true, true])
  })
})
