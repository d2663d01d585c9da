import type { Browser, Page } from 'playwright-core'

import { hasChromium, launchChromium } from '../../browser/launch.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import { type City, largestCity } from '../reference.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

/*
 * Measures the map of a city in Chromium, with an empty cache each time: the time until the first issues are drawn, compared with the time until
 * the same page without issues is complete.
 */

const TURNS = 7
const TIMES_MAX = 1.5
const TASK_MAX_MS = 200
/** Half of the height and width of the view in degrees: zoom 12 to 13, where issues are single points. */
const HALF_VIEW = 0.04
const VIEW = { width: 1280, height: 800 }
const PAN_STEPS = 40
const PANS = 4
const WAIT_MAX_MS = 60_000
/** Only issues have as many corners in one call: six for each icon. */
const ISSUE_CORNERS = 3_000

interface Times {
  readonly firstIssues_ms: number | undefined
  readonly complete_ms: number
  readonly longestPanTask_ms: number
}

/** Values that the page records about itself. */
interface Recorded {
  firstIssues_ms?: number
  complete_ms?: number
  longTasks: number[]
}

export async function measureMap({ databaseUrl, cities, say }: Bench): Promise<readonly Goal[]> {
  if (!hasChromium) {
    say('\nThe map was not measured: Chromium is not installed.')
    return []
  }
  const server = await startServer(databaseUrl)
  const browser = await launchChromium({ hasGpuCompositing: true })
  const url = `${server.url}/?${cityView(largestCity(cities))}`
  const turns: Record<'issues' | 'empty', Times[]> = { issues: [], empty: [] }
  try {
    await measurePage(browser, url, false)
    for (let turn = 0; turn < TURNS; turn++) {
      turns.empty.push(await measurePage(browser, url, true))
      turns.issues.push(await measurePage(browser, url, false))
    }
  } finally {
    await browser.close()
    await server.stop()
  }
  const complete = (times: readonly Times[]) => median(times.map(({ complete_ms }) => complete_ms))
  const task = (times: readonly Times[]) => median(times.map(({ longestPanTask_ms }) => longestPanTask_ms))
  if (turns.empty.some(({ firstIssues_ms }) => firstIssues_ms !== undefined)) throw new Error('The base map was taken for issues.')
  const firstIssues_ms = median(turns.issues.map(({ firstIssues_ms }) => firstIssues_ms ?? NaN))
  say(`\nThe map of a city in Chromium without a graphics card, medians of ${TURNS} alternating turns`)
  for (const [name, times] of Object.entries(turns)) {
    say(`${name.padEnd(8)} complete after ${complete(times).toFixed(0)} ms, longest task while moving ${task(times).toFixed(0)} ms`)
  }
  say(`first issues drawn after ${firstIssues_ms.toFixed(0)} ms`)
  const times = firstIssues_ms / complete(turns.empty)
  const longest = task(turns.issues)
  return [
    {
      text: `the first issues are drawn after ${times.toFixed(2)} × the time of the map without issues, goal ≤ ${TIMES_MAX}`,
      reached: times <= TIMES_MAX,
    },
    {
      text: `the longest task while moving takes ${longest.toFixed(0)} ms, goal ≤ ${TASK_MAX_MS}`,
      reached: longest <= TASK_MAX_MS,
    },
  ]
}

const cityView = ({ lng, lat }: City) =>
  new URLSearchParams({
    min_lat: String(lat - HALF_VIEW),
    max_lat: String(lat + HALF_VIEW),
    min_lng: String(lng - HALF_VIEW),
    max_lng: String(lng + HALF_VIEW),
  }).toString()

async function measurePage(browser: Browser, url: string, isEmpty: boolean): Promise<Times> {
  const context = await browser.newContext({ viewport: VIEW })
  const page = await context.newPage()
  if (isEmpty) await page.route('**/tiles/issues/*/*/*', (route) => route.fulfill({ status: 204 }))
  await page.addInitScript(record, ISSUE_CORNERS)
  await page.goto(url)
  await page.waitForSelector('#map[data-state=ready]', { timeout: WAIT_MAX_MS })
  const { firstIssues_ms, complete_ms = NaN } = await readRecord(page)
  await pan(page)
  const { longTasks } = await readRecord(page)
  await context.close()
  return { firstIssues_ms, complete_ms, longestPanTask_ms: Math.max(0, ...longTasks) }
}

/** Runs in the page. */
function record(issueCorners: number): void {
  const recorded: Recorded = { longTasks: [] }
  Object.assign(globalThis, { recorded })
  const { prototype } = WebGL2RenderingContext
  const drawElements = prototype.drawElements
  prototype.drawElements = function (mode, corners, ...others) {
    if (corners >= issueCorners) recorded.firstIssues_ms ??= performance.now()
    drawElements.call(this, mode, corners, ...others)
  }
  new MutationObserver(() => {
    if (recorded.complete_ms === undefined && document.querySelector('#map[data-state=ready]')) {
      recorded.complete_ms = performance.now()
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] })
  new PerformanceObserver((list) => {
    // Tasks before the map was complete belong to loading.
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime > (recorded.complete_ms ?? Infinity)) recorded.longTasks.push(duration)
    }
  }).observe({ type: 'longtask' })
}

const readRecord = (page: Page) => page.evaluate(() => (globalThis as unknown as { recorded: Recorded }).recorded)

async function pan(page: Page): Promise<void> {
  const box = await page.locator('canvas').boundingBox()
  if (!box) throw new Error('The map is not visible.')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  for (let turn = 0; turn < PANS; turn++) {
    await page.mouse.move(x + 300, y)
    await page.mouse.down()
    for (let step = 1; step <= PAN_STEPS; step++) await page.mouse.move(x + 300 - step * 15, y)
    await page.mouse.up()
    await page.waitForTimeout(1_000)
  }
}
