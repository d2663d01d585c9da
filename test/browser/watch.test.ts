import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, square, type TestUser } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true } as const
/** `npm run test:long` has the animations of the map. */
const ANIMATION_MS = 500
const ready = '#map[data-state=ready]'

describe.runIf(hasChromium)(`watch areas in a browser${skipped}`, () => {
  const { app, open } = useBrowser()
  let ada: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    for (let n = 0; n < 5; n++) await app.create.issue({ summary: `Hole ${n}`, at: GREEN })
  })

  const areas = () =>
    queryRows<{ name: string; kind: string; frequency: string; positions: number }>(
      app.db,
      sql`SELECT w.name, w.kind, w.frequency, ST_NPoints(w.area) AS positions FROM watch_areas w ORDER BY w.id`,
    )
  const status = (page: Page) => page.locator('[data-draw-status]').textContent()
  const forecast = (page: Page) => page.locator('[data-forecast]').textContent()

  it.runIf(isLong)('are drawn by mouse, with the forecast at once, and appear in the list', async () => {
    const { page, complaints } = await open('/watch', { as: ada })
    await page.waitForSelector(ready)
    const canvas = page.locator('#map canvas').first()

    for (const [x, y] of [[100, 150], [350, 150], [350, 400], [100, 400]] as const) await canvas.click({ position: { x, y } }) // prettier-ignore
    await canvas.click({ position: { x: 100, y: 150 }, force: true })
    await expect.poll(() => status(page)).toContain('The shape is complete, with 4 corners.')
    await expect.poll(() => forecast(page)).toContain('a week were made here')
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: /^Corner 2 of 4/ }).press('ArrowLeft')
    await page.getByRole('button', { name: /^Corner 3 of 4/ }).press('Delete')
    await expect.poll(() => status(page)).toContain('3 corners')
    await page.getByLabel('Name').fill('By mouse')
    await page.getByRole('button', { name: 'Watch this area' }).click()

    await page.waitForURL('**/account/watch-areas?done=watched')
    expect(await areas()).toMatchObject([{ name: 'By mouse', kind: 'polygon', frequency: 'daily', positions: 4 }])
    await page.waitForSelector('.areas-map [data-state=ready]')
    expect(await page.locator('h2').allTextContents()).toContain('By mouse')
    expect(await findViolations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are drawn by keyboard alone', async () => {
    const { page, complaints } = await open('/watch', { as: ada })
    await page.waitForSelector(ready)
    await page.locator('#map canvas').first().focus()
    expect(await page.locator('.map-cross').isVisible()).toBe(true)
    const press = async (key: string) => {
      const before = await status(page)
      await page.keyboard.press(key)
      if (key === 'Enter') await expect.poll(() => status(page)).not.toBe(before)
      else if (isLong) await page.waitForTimeout(ANIMATION_MS)
    }

    for (const key of ['Enter', 'ArrowRight', 'Enter', 'ArrowDown', 'Enter', 'ArrowDown', 'Enter', 'Backspace']) await press(key)
    await expect.poll(() => status(page)).toContain('3 corners. Close the shape or add more.')
    await page.getByRole('button', { name: 'Close the shape' }).press('Enter')
    await expect.poll(() => status(page)).toContain('The shape is complete')
    await page.getByLabel('Name').fill('By keyboard')
    await page.getByRole('button', { name: 'Watch this area' }).press('Enter')

    await page.waitForURL('**/account/watch-areas?done=watched')
    expect((await areas()).at(-1)).toMatchObject({ name: 'By keyboard', kind: 'polygon', positions: 4 })
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('are drawn under the cross on a phone', async () => {
    const { page, complaints } = await open('/watch', { ...PHONE, as: ada })
    await page.waitForSelector(ready)
    expect(await page.locator('.map-cross').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Circle' }).click()
    await page.getByRole('button', { name: 'Set the centre here' }).click()
    await page.getByLabel(/^Radius/).first().fill('7') // prettier-ignore
    await expect.poll(() => status(page)).toMatch(/A circle with a radius of .*(mile|kilomet)/)
    await page.getByLabel('Name').fill('By cross')
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Watch this area' }).click()

    await page.waitForURL('**/account/watch-areas?done=watched')
    expect((await areas()).at(-1)).toMatchObject({ name: 'By cross', kind: 'circle' })
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('can be what the map shows, and are changed on the map', async () => {
    const { page, complaints } = await open('/watch?place_url=new-haven', { as: ada })
    await page.waitForSelector(ready)
    await expect.poll(() => status(page)).toBe('The outlined place is chosen.')
    await page.getByRole('button', { name: 'What the map shows' }).click()
    await page.getByRole('button', { name: 'Take what the map shows' }).click()
    await page.getByLabel('Name').fill('By view')
    await page.getByRole('button', { name: 'Watch this area' }).click()
    await page.waitForURL('**/account/watch-areas?done=watched')
    expect((await areas()).at(-1)).toMatchObject({ name: 'By view', kind: 'box' })

    await page.getByRole('link', { name: 'Edit: By mouse' }).click()
    await page.waitForSelector(ready)
    await page.getByRole('button', { name: /^Corner 1 of 3/ }).press('ArrowUp')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/account/watch-areas?done=saved')
    await page.getByRole('link', { name: 'See these issues on the map: By mouse' }).click()
    await page.waitForSelector(ready)
    expect(page.url()).not.toContain('token')
    expect(complaints).toEqual([])
  })

  it('are drawn and linked in the list without WebGL', async () => {
    const watched = await app.as.user(ada).send('POST', '/api/v2/watchers', { body: { name: 'Green', area: square(GREEN, 0.02) } })
    expect(watched.status).toBe(201)
    const { page } = await open('/account/watch-areas', { webGl: false, as: ada })

    await page.locator('.areas-map').getByRole('link', { name: 'Green' }).focus()
    await page.keyboard.press('Enter')

    expect(new URL(page.url()).hash).toMatch(/^#area-\d+$/)
    const images = page.locator('.watched img.map')
    expect(await images.count()).toBe((await areas()).length)
    await images.last().scrollIntoViewIfNeeded()
    await expect.poll(() => images.last().evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(720)
  })
})
