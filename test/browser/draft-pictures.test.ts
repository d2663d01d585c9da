import { expect, it, describe } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

describe.runIf(hasChromium)(`the pictures of a form in a browser${skipped}`, () => {
  const { app, open } = useBrowser()

  it('shows the pictures of a saved draft, and takes five with new ones', async () => {
    const { page, complaints } = await open(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)
    const field = page.locator('input[type=file][multiple]')
    const send = () => page.getByRole('button', { name: 'Continue' }).click()
    const photos = async (count: number) => {
      const buffer = await photoAt(undefined)
      return Array.from({ length: count }, (_, n) => ({ name: `${n}.jpg`, mimeType: 'image/jpeg', buffer }))
    }
    await page.getByLabel('What is the problem?').fill('Deep hole')
    await page.getByLabel('Address or description of the place').fill('1 Elm Street')
    await page.locator('[data-photos]:not([hidden])').waitFor()
    await field.setInputFiles(await photos(2))
    await send()
    await page.getByRole('link', { name: 'Change it' }).click()
    await page.getByRole('img', { name: 'Picture 2' }).waitFor()

    await page.getByRole('checkbox', { name: 'Remove picture 1' }).check()
    await page.locator('[data-photos]:not([hidden])').waitFor()
    await field.setInputFiles(await photos(5))
    await expect.poll(() => page.locator('[data-photo-status]').textContent()).toContain('up to 5 pictures')
    expect(await page.locator('[data-photos] .photo-list li').count()).toBe(4)
    await send()

    await page.waitForURL('**/report/draft')
    await page.getByRole('img', { name: 'Picture 5' }).waitFor()
    expect(await page.locator('main .answers img').count()).toBe(5)
    expect(complaints).toEqual([])
  })

  it('attaches the pictures again after errors, which it no longer asks to choose', async () => {
    const { page } = await open(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`, { webGl: false })
    const photo = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) }
    await page.waitForSelector('[data-photos]:not([hidden])')
    await page.locator('input[type=file][multiple]').setInputFiles(photo)
    await page.locator('form[data-report]').evaluate((form: HTMLFormElement) => (form.noValidate = true))

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The pictures that you chose before are attached.').waitFor()

    expect(await page.locator('.error-summary li').allTextContents()).toEqual([
      expect.stringContaining('What is the problem?'),
      expect.stringContaining('Address or description of the place'),
    ])
    expect(await page.getByText('Choose the picture again').count()).toBe(0)
  })

  it('refuses pictures of another kind or size before they are sent, and counts characters', async () => {
    const { page } = await open(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`, { webGl: false })
    const file = (name: string, mimeType: string, bytes = 10) => ({ name, mimeType, buffer: Buffer.alloc(bytes) })
    const large = file('large.png', 'image/png', 20 * 1024 * 1024 + 1)
    const status = page.locator('[data-photo-status]')
    await page.waitForSelector('[data-photos]:not([hidden])')

    await page
      .locator('input[type=file][multiple]')
      .setInputFiles([file('notes.txt', 'text/plain'), large, file('a.png', 'image/png')])
    await page.getByLabel('What is the problem?').fill('Deep hole')

    await expect.poll(() => status.textContent()).toContain('notes.txt is no picture that we can show')
    expect(await status.textContent()).toContain('large.png is larger than 20 MB: choose a smaller picture.')
    expect(await page.locator('.photo-list li').allTextContents()).toEqual([expect.stringContaining('a.png')])
    expect(await page.locator('.counter:visible').allTextContents()).toEqual(['9 of 255 characters'])
  })
  it('refuses a picture of a profile before it is sent, too', async () => {
    const { page } = await open('/account', { webGl: false, as: await app.create.user() })

    await page
      .getByLabel('Choose a picture')
      .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(9) })

    await page.getByText('cv.pdf is no picture that we can show').waitFor()
    expect(await page.getByLabel('Choose a picture').inputValue()).toBe('')
  })
})
