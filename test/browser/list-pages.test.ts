import { beforeAll, describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

const ISSUES = 25

describe.runIf(hasChromium)(`the pages of a list next to a map${skipped}`, () => {
  const { app, open } = useBrowser()
  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    for (let number = 1; number <= ISSUES; number++) await app.create.issue({ summary: `Hole ${number}` })
    await app.create.issue({ summary: 'Lamp', status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
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
    await expect.poll(() => entries.count()).toBe(ISSUES + 1 - 20)

    expect(page.url()).toContain('new-haven')
    expect(page.url()).toContain('page=2')
    expect(await page.evaluate(() => document.body.hasAttribute('data-same'))).toBe(true)
    await page.goBack()
    await expect.poll(() => entries.count()).toBe(20)
    expect(complaints).toEqual([])
  })

  it.each([
    ['with', {}],
    ['without', { webGl: false }],
  ])('of a place change with its status links and its search without a new page, %s a live map', async (_with, options) => {
    const { page, complaints, requests } = await open('/places/new-haven', options)
    await page.evaluate(() => document.body.setAttribute('data-same', ''))
    const heading = page.locator('#issues')

    await page.getByRole('link', { name: 'Closed' }).click()
    await expect.poll(() => heading.textContent()).toBe('1 issue')
    expect(await page.getByRole('link', { name: 'Closed' }).getAttribute('aria-current')).toBe('true')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Closed')
    expect(await page.locator('#place-data a').first().getAttribute('href')).toContain('status=closed')
    await page.getByLabel('Search in summaries').fill('hole')
    await page.keyboard.press('Enter')
    await expect.poll(() => heading.textContent()).toBe('0 issues')
    await page.getByRole('link', { name: 'Search all issues' }).click()
    await expect.poll(() => heading.textContent()).toBe(`${ISSUES} issues`)

    expect(new URL(page.url()).searchParams.get('search')).toBe('hole')
    expect(await page.locator('.page-map').getAttribute('data-map')).toContain('search=hole')
    for (const text of ['0 issues', '1 issue', `${ISSUES + 1} issues`]) {
      await page.goBack()
      await expect.poll(() => heading.textContent()).toBe(text)
    }
    expect(await page.getByLabel('Search in summaries').inputValue()).toBe('')
    expect(await page.evaluate(() => document.body.hasAttribute('data-same'))).toBe(true)
    expect(requests.filter((path) => path === '/places/new-haven')).toHaveLength(7)
    expect(complaints).toEqual([])
  })

  it('of the map of a place change with its filters, back and forward too, without a new page', async () => {
    const { page, complaints } = await open('/?place_url=new-haven')
    await page.waitForSelector('#map[data-state=ready]')
    await page.evaluate(() => document.body.setAttribute('data-same', ''))
    const heading = page.locator('#issues h2')

    await page.getByText('Search and filters').click()
    await page.getByRole('checkbox', { name: 'Open' }).uncheck()
    await expect.poll(() => heading.textContent()).toBe('1 issue')
    await page.locator('#filter-buttons a').click()
    await expect.poll(() => heading.textContent()).toBe(`${ISSUES + 1} issues`)
    expect(await page.getByRole('checkbox', { name: 'Open' }).isChecked()).toBe(true)
    await page.goBack()
    await expect.poll(() => heading.textContent()).toBe('1 issue')
    expect(await page.getByRole('checkbox', { name: 'Open' }).isChecked()).toBe(false)
    await page.goForward()
    await expect.poll(() => heading.textContent()).toBe(`${ISSUES + 1} issues`)

    expect(new URL(page.url()).search).toBe('?place_url=new-haven')
    expect(await page.evaluate(() => document.body.hasAttribute('data-same'))).toBe(true)
    expect(complaints).toEqual([])
  })
})
