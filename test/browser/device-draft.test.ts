import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square, type TestUser } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { isLong } from '../helpers/long.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const FORM = `/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`
const ELSEWHERE = `/report?lat=${GREEN.lat + 0.01}&lng=${GREEN.lng}&type=other`
const HOUR_MS = 3_600_000

const summary = (page: Page) => page.getByLabel('What is the problem?')
const address = (page: Page) => page.getByLabel('Address or description of the place')
const note = (page: Page) => page.locator('[data-device-draft] [role=status]')
const discard = (page: Page) => page.getByRole('button', { name: 'Discard' })

/** Returns the texts and files that the browser stores, as text, and makes them older by `age_ms`. */
const readDevice = (page: Page, age_ms = 0) =>
  page.evaluate(async (age) => {
    const done = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve) => request.addEventListener('success', () => resolve(request.result)))
    const database = await done(indexedDB.open('report'))
    const stored: unknown[] = []
    for (const name of ['drafts', 'files']) {
      if (!database.objectStoreNames.contains(name)) continue
      const store = database.transaction(name, 'readwrite').objectStore(name)
      const values = (await done(store.getAll())) as { key: string; savedAt: number }[]
      for (const one of values) await done(store.put({ ...one, savedAt: one.savedAt - age }, one.key))
      stored.push(...values)
    }
    database.close()
    return JSON.stringify(stored)
  }, age_ms)

describe.runIf(hasChromium)(`the text of a report on the device${skipped}`, () => {
  const { app, origin, open: openPage } = useBrowser()
  /** The device stores the same with a map, which takes processor time. */
  const open = (path: string) => openPage(path, { webGl: false })
  let ada: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.05) })
  })

  async function typeText(page: Page): Promise<void> {
    await summary(page).fill('Deep hole')
    await page.locator('[name=anonymize_reporter]').check()
    await address(page).fill('1 Elm Street')
    await expect.poll(() => readDevice(page)).toContain('1 Elm Street')
  }

  it('is back after a reload, with a button that discards it', async () => {
    const { page, complaints } = await open(FORM)
    await expect.poll(() => note(page).textContent()).toContain('kept in this browser for up to 24 hours')
    expect(await discard(page).isVisible()).toBe(false)
    await typeText(page)

    await page.goto(origin + FORM)
    await expect.poll(() => note(page).textContent()).toContain('What you wrote here before is back.')
    expect(await summary(page).inputValue()).toBe('Deep hole')
    expect(await address(page).inputValue()).toBe('1 Elm Street')
    expect(await page.locator('[name=anonymize_reporter]').isChecked()).toBe(true)
    await discard(page).click()
    await expect.poll(() => readDevice(page)).toBe('[]')

    expect(await summary(page).inputValue()).toBe('')
    expect(await note(page).textContent()).toBe('What you wrote was deleted from this browser.')
    await page.goto(origin + FORM)
    await note(page).waitFor()
    expect(await summary(page).inputValue()).toBe('')
    expect(complaints).toEqual([])
  })

  it('has the last letter if the page is left at once', async () => {
    const { page } = await open(FORM)
    await typeText(page)

    await page.evaluate(() => {
      const field = document.querySelector('[name="address"]') as HTMLInputElement
      field.value += '2'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      location.reload()
    })
    await page.waitForEvent('load')

    await expect.poll(() => address(page).inputValue()).toBe('1 Elm Street2')
  })

  it('has the letters that were typed before the script was loaded, and the older texts of other fields', async () => {
    const { page } = await open(FORM)
    await typeText(page)
    const script = Promise.withResolvers<void>()
    await page.route('**/report-form*', async (route) => {
      await script.promise
      await route.continue()
    })

    await page.goto(origin + FORM, { waitUntil: 'commit' })
    await summary(page).fill('Broken lamp')
    script.resolve()

    await expect.poll(() => readDevice(page)).toContain('Broken lamp')
    expect(await readDevice(page)).toContain('1 Elm Street')
    expect(await summary(page).inputValue()).toBe('Broken lamp')
    expect(await address(page).inputValue()).toBe('1 Elm Street')
    await expect.poll(() => note(page).textContent()).toContain('What you wrote here before is back.')
  })

  it('has the pictures of all questions after a reload and an error, until it is discarded', async () => {
    const questions = [{ question: 'The sign?', question_type: 'file' }] as const
    const type = await app.create.requestType({ title: 'Sign missing', questions: [...questions] })
    const form = FORM.replace('other', String(type))
    const { page } = await open(form)
    const sign = page.getByLabel('The sign?')
    const chosen = () => sign.evaluate((field: HTMLInputElement) => [...(field.files ?? [])].map(({ name }) => name))
    await note(page).waitFor()
    await sign.setInputFiles({ name: 'sign.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await address(page).fill('   ')

    await page.reload()
    await expect.poll(chosen).toEqual(['sign.jpg'])
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The form has errors.').waitFor()
    await expect.poll(chosen).toEqual(['sign.jpg'])
    await expect.poll(() => page.locator('.field-error').count()).toBe(1)
    await page.goto(origin + ELSEWHERE.replace('other', String(type)))
    await note(page).waitFor()
    expect(await chosen()).toEqual([])
    await page.goto(origin + form)
    await expect.poll(chosen).toEqual(['sign.jpg'])
    await discard(page).click()

    expect(await chosen()).toEqual([])
    await expect.poll(() => readDevice(page)).toBe('[]')
    await page.goto(origin + form)
    await note(page).waitFor()
    expect(await chosen()).toEqual([])
  })

  it('is kept for each report with its picture, and the start of a report lists them', async () => {
    const { page, complaints } = await open('/report')
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.getByText('hole.jpg').waitFor()
    await page.goto(origin + FORM)
    await page.getByText('hole.jpg').waitFor()
    await typeText(page)
    await page.goto(origin + ELSEWHERE)
    await note(page).waitFor()
    expect(await page.getByText('hole.jpg').count()).toBe(0)
    await summary(page).fill('Broken lamp')
    await expect.poll(() => readDevice(page)).toContain('Broken lamp')

    await page.goto(`${origin}/report`)
    const waiting = page.locator('[data-waiting-drafts]')
    await waiting.getByText('2 reports wait on this device.').waitFor()
    const items = waiting.getByRole('listitem')
    expect(await items.allInnerTexts()).toEqual([expect.stringContaining('Broken lamp'), expect.stringContaining('Deep hole')])
    expect(await items.locator('canvas').count()).toBe(1)
    await waiting.getByRole('button', { name: 'Discard: Broken lamp' }).click()
    await waiting.getByText('One report waits on this device.').waitFor()
    await waiting.getByRole('link', { name: 'Continue: Deep hole' }).click()
    await page.waitForURL(`**${FORM}`)
    await expect.poll(() => summary(page).inputValue()).toBe('Deep hole')
    await page.getByText('hole.jpg').waitFor()
    await discard(page).click()

    await expect.poll(() => readDevice(page)).toBe('[]')
    await page.goto(`${origin}/report`)
    await page.locator('[data-photos]:not([hidden])').waitFor()
    expect(await waiting.isVisible()).toBe(false)
    expect(await page.getByText('hole.jpg').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('moves with its pictures to another spot, without the address', async () => {
    const { page } = await open(FORM)
    await typeText(page)
    await page
      .getByLabel('Add a picture')
      .setInputFiles({ name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.getByText('hole.jpg').waitFor()

    await page.goto(`${origin}${ELSEWHERE}&from=${GREEN.lat}/${GREEN.lng}`)
    await expect.poll(() => summary(page).inputValue()).toBe('Deep hole')
    await page.getByText('hole.jpg').waitFor()
    expect(await address(page).inputValue()).toBe('')

    await page.goto(`${origin}/report`)
    await page.locator('[data-waiting-drafts]').getByText('One report waits on this device.').waitFor()
    expect(await page.getByRole('link', { name: 'Continue: Deep hole' }).getAttribute('href')).toBe(ELSEWHERE)
  })

  it.runIf(isLong)('is gone after the logout', async () => {
    const { page, complaints } = await open(FORM)
    const { jar } = await createLoggedInBrowser(app, ada)
    await page.context().addCookies([...jar].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(origin + FORM)
    await typeText(page)

    await page.locator('details.menu summary').click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('link', { name: 'Log in' }).first().waitFor()

    expect(await readDevice(page)).toBe('[]')
    await page.goto(origin + FORM)
    await note(page).waitFor()
    expect(await summary(page).inputValue()).toBe('')
    expect(complaints).toEqual([])
  })

  it('is gone after 24 hours', async () => {
    const { page } = await open(FORM)
    await typeText(page)
    await readDevice(page, 23 * HOUR_MS)
    await page.goto(origin + FORM)
    await expect.poll(() => summary(page).inputValue()).toBe('Deep hole')
    await readDevice(page, HOUR_MS)

    await page.goto(origin + FORM)
    await note(page).waitFor()

    expect(await summary(page).inputValue()).toBe('')
    await expect.poll(() => readDevice(page)).toBe('[]')
  })

  it('stays with its pictures without a connection, and is deleted once the report is sent', async () => {
    const { page } = await open(FORM)
    const { jar } = await createLoggedInBrowser(app, ada)
    await page.context().addCookies([...jar].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(origin + FORM)
    await typeText(page)
    const pictures = page.locator('.photo-list li')
    await page
      .getByLabel('Add a picture')
      .setInputFiles({ name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await pictures.waitFor()
    await page.route('**/report', (route) => route.abort())
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.getByText('The report waits on this device').waitFor()
    await page.unroute('**/report')

    await page.goto(origin + FORM)
    await expect.poll(() => summary(page).inputValue()).toBe('Deep hole')
    await pictures.waitFor()
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.waitForURL('**/issues/*?reported=now')

    expect(await page.locator('img.photo').count()).toBe(1)
    expect(await readDevice(page)).toBe('[]')
    await page.goto(origin + FORM)
    await note(page).waitFor()
    expect(await summary(page).inputValue()).toBe('')
  })

  it.runIf(isLong)('stays in the form that comes back with errors', async () => {
    const { page } = await open(FORM)
    await typeText(page)
    await address(page).fill('   ')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The form has errors.').waitFor()

    expect(await summary(page).inputValue()).toBe('Deep hole')
    expect(await readDevice(page)).toContain('Deep hole')
    await expect.poll(() => discard(page).isVisible()).toBe(true)
  })

  it.runIf(isLong)('says that chosen pictures are not sent if the type asks for none', async () => {
    const type = await app.create.requestType({ title: 'Street light out' })
    const { page } = await open('/report')
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.locator('.photo-list li').waitFor()

    await page.goto(`${origin}/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=${type}`)

    await page.getByText('This kind of report takes no pictures').waitFor()
  })
})
