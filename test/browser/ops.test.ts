import { describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

describe.runIf(hasChromium)(`/ops on a phone${skipped}`, () => {
  const { app, open } = useBrowser()

  it('shows the queues without scrolling sideways, with the names of the numbers', async () => {
    const as = await app.create.user({ role: 'Admin' })

    const { page, complaints } = await open('/ops', { as, webGl: false, viewport: { width: 390, height: 800 } })

    const queues = page.locator('.data')
    expect(await queues.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    expect(await queues.locator('tbody tr').count()).toBe(8)
    const name = (element: Element) => getComputedStyle(element, '::before').content
    expect(await queues.locator('tbody tr').first().locator('td').first().evaluate(name)).toContain('Waiting')
    expect(await findViolations(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
