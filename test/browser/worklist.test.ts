import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

describe.runIf(hasChromium)(`the list of staff in a browser${skipped}`, () => {
  const { app, open } = useBrowser()

  async function openList(path: string) {
    const roads = await app.create.organization()
    const request_type = await app.create.requestType({ organization: roads, title: 'Pothole' })
    const as = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
    const first = await app.create.issue({ request_type, summary: 'Old hole', created_at: '2026-01-01T10:00:00Z' })
    const second = await app.create.issue({ request_type, summary: 'New hole', created_at: '2026-02-01T10:00:00Z' })
    return { ...(await open(path, { as, webGl: false })), as, request_type, first, second }
  }
  const find = (id: number) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForURL('**done=**')
  }

  it('acknowledges, assigns and closes with at most three keys each', async () => {
    const { page, complaints, as, first, second } = await openList('/work')

    await press(page, 'j', 'g')
    expect((await find(first)).status).toBe('Acknowledged')
    await page.goto(page.url().split('?')[0] ?? '')
    await press(page, 'j', 'a', 'Enter')
    expect((await find(first)).assignee_id).toBe(as.id)
    await page.goto(page.url().split('?')[0] ?? '')
    await press(page, 'j', 'c', 'Enter')

    expect(await find(first)).toMatchObject({ status: 'Closed', outcome: 'fixed' })
    expect((await find(second)).status).toBe('Open')
    expect(await page.getByRole('status').first().textContent()).toContain('1 issue is closed.')
    expect(complaints).toEqual([])
  })

  it('selects by key, lists the keys in a dialog, and leaves form fields alone', async () => {
    const { page } = await openList('/work')
    const selected = () => page.locator('input[name="issue"]:checked').count()

    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    expect([await selected(), await page.locator('#selected-count').textContent()]).toEqual([2, '(2)'])
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('xgc')

    expect(await page.locator('.work-filters input[name="search"]').inputValue()).toBe('xgc')
    expect(await selected()).toBe(2)
  })

  it('says that new reports have arrived, without moving the list', async () => {
    const { page, request_type } = await openList('/favicon.ico')
    await page.clock.install()
    await page.goto(new URL('/work', page.url()).href)
    await app.create.issue({ request_type, summary: 'Fresh hole', created_at: new Date(Date.now() + 1_000).toISOString() })

    await page.clock.fastForward(61_000)

    await page.getByText('1 new report. Load it').waitFor()
    expect(await page.getByText('Fresh hole').count()).toBe(0)
    await page.getByText('1 new report. Load it').click()
    await page.getByText('Fresh hole').waitFor()
  })

  it.each([320, 1280])('works at %d pixels and breaks no rule of accessibility', async (width) => {
    const { page } = await openList('/favicon.ico')
    await page.setViewportSize({ width, height: 800 })

    await page.goto(new URL('/work', page.url()).href)
    await page.locator('input[name="issue"]').first().check()

    expect(await findViolations(page)).toEqual([])
    expect(await page.getByRole('button', { name: 'Close' }).isVisible()).toBe(true)
  })
})
