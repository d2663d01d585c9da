import { beforeAll, describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

const ISSUES = 25

describe.runIf(hasChromium)(`the pages of a list next to a map${skipped}`, () => {
  const { app, open } = useBrowser()
  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    for (let number = 1; number <= ISSUES; number++) await app.create.issue({ summary: `Hole ${number}` })
  })

  it.each([
    ['the map', '/?place_url=new-haven', '#map[data-state=ready]'],
    ['a place', '/places/new-haven', '.page-map[data-state=ready]'],
  ])('change without a new map, keep the place, and are in the history of the browser: %s', async (_page, path, ready) => {
    const { page, complaints } = await open(path)
    await page.waitForSelector(ready)
    await page.evaluate(() => document.body.setAttribute('data-same', ''))
    const entries = page.locator('.card.issue')

    await page.locator('.pager a[rel=next]').click()
    await expect.poll(() => entries.count()).toBe(ISSUES - 20)

    expect(page.url()).toContain('new-haven')
    expect(page.url()).toContain('page=2')
    expect(await page.evaluate(() => document.body.hasAttribute('data-same'))).toBe(true)
    await page.goBack()
    await expect.poll(() => entries.count()).toBe(20)
    expect(complaints).toEqual([])
  })
})
