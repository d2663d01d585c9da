import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const comment = (page: Page) => page.locator('#field-comment')
const send = (page: Page) => page.getByRole('button', { name: 'Comment', exact: true }).click()

const readDevice = (page: Page) =>
  page.evaluate(async () => {
    const done = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve) => request.addEventListener('success', () => resolve(request.result)))
    const database = await done(indexedDB.open('report'))
    const names = [...database.objectStoreNames]
    const stored = names.includes('comments') ? await done(database.transaction('comments').objectStore('comments').getAll()) : []
    database.close()
    return JSON.stringify(stored)
  })

describe.runIf(hasChromium)(`the text of a comment on the device${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  let ada: TestUser
  let ben: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    ben = await app.create.user({ name: 'Ben Lee' })
  })

  async function logIn(page: Page, user: TestUser): Promise<void> {
    const { jar } = await createLoggedInBrowser(app, user)
    await page.context().addCookies([...jar].map(([name, value]) => ({ name, value, url: origin })))
  }

  it('is back after the session has ended and the next login, and is deleted once it is sent', async () => {
    const path = `/issues/${await app.create.issue()}`
    const { page, complaints } = await open(path, { as: ada, webGl: false })
    await comment(page).fill('The bench is wet.')
    await expect.poll(() => readDevice(page)).toContain('The bench is wet.')
    await page.context().clearCookies()

    await send(page)
    await page.waitForURL(/\/login\?return_to=/)
    expect(page.url()).not.toContain('bench')
    await logIn(page, ada)
    await page.reload()
    await page.waitForURL(`**${path}#say`)
    await expect.poll(() => comment(page).inputValue()).toBe('The bench is wet.')
    await send(page)
    await page.waitForURL(`**${path}#comment-*`)

    await expect.poll(() => readDevice(page)).toBe('[]')
    expect(await comment(page).inputValue()).toBe('')
    expect(complaints).toEqual([])
  })

  it('is not shown to another account, and not on another issue', async () => {
    const [path, other] = [`/issues/${await app.create.issue()}`, `/issues/${await app.create.issue()}`]
    const { page } = await open(path, { as: ada, webGl: false })
    await comment(page).fill('The bench is wet.')
    await expect.poll(() => readDevice(page)).toContain('The bench is wet.')

    await page.goto(origin + other)
    await page.waitForLoadState('networkidle')
    const elsewhere = await comment(page).inputValue()
    await logIn(page, ben)
    await page.goto(origin + path)
    await page.waitForLoadState('networkidle')

    expect([elsewhere, await comment(page).inputValue()]).toEqual(['', ''])
    await logIn(page, ada)
    await page.goto(origin + path)
    await expect.poll(() => comment(page).inputValue()).toBe('The bench is wet.')
  })
})
