import { expect, describe, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

describe.runIf(hasChromium)(`the form of a question in a browser${skipped}`, () => {
  const { app, open } = useBrowser()

  it('shows the report form for what is typed, and saves by keyboard', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
    const type = await app.create.requestType({ organization: roads, title: 'Bench' })
    const { page, complaints } = await open(`/organizations/${roads}/manage/request-types/${type}/questions/new`, {
      ...{ as: manager, webGl: false },
    })

    await page.getByLabel('Question', { exact: true }).focus()
    await page.keyboard.type('Which slat?')
    await expect.poll(() => page.locator('#preview').textContent()).toContain('Which slat?')
    await page.getByLabel('Kind of answer').selectOption('number')
    await expect.poll(() => page.locator('#preview input[type=number]').count()).toBe(1)
    await page.getByRole('button', { name: 'Add a question' }).press('Enter')

    await page.waitForURL('**?done=saved')
    expect(await page.getByRole('link', { name: 'Which slat?' }).count()).toBe(1)
    expect(complaints).toEqual([])
  })
})
