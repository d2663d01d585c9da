import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const FORM = `/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`
const withWorker = { serviceWorkers: 'allow', webGl: false } as const

const isControlled = (page: Page) =>
  page.evaluate(() => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null))

describe.runIf(hasChromium)(`the installed site${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  const other = createServer((_request, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><title>Other</title><a href="${origin}/account">Account</a>`),
  )
  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.05) })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void other.close())

  it('shows the draft of the device without a connection, keeps a picture for it, and says when the connection is back', async () => {
    const { page, complaints } = await open(FORM, withWorker)
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.getByLabel('What is the problem?').fill('Deep hole')
    await expect.poll(() => page.locator('[data-discard]').isVisible()).toBe(true)

    await page.context().setOffline(true)
    await page.goto(`${origin}/report`)
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    await page.locator('#photo-choose').setInputFiles({ name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(GREEN) })
    await page.getByText('hole.jpg').waitFor()
    const href = await page.getByRole('link', { name: 'Continue' }).getAttribute('href')
    await page.context().setOffline(false)
    await page.getByText('You are connected again.').waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()

    await expect.poll(() => page.getByLabel('What is the problem?').inputValue()).toBe('Deep hole')
    await page.getByText('hole.jpg').waitFor()
    expect(href).toBe(FORM)
    expect(complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })

  it('sends a report by itself when the connection is back, once, and says so on the page that is open then', async () => {
    const { page } = await open(FORM, { ...withWorker, as: await app.create.user() })
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.getByLabel('What is the problem?').fill('Broken lamp')
    await page.getByLabel('Address').fill('1 Elm Street')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.getByText('The report waits on this device').waitFor()
    const reports = () => app.db.prisma.issue.count({ where: { summary: 'Broken lamp' } })

    const other = await page.context().newPage()
    await other.goto(`${origin}/places`)
    await other.getByRole('heading', { name: 'No connection' }).waitFor()
    const before = await reports()
    await page.context().setOffline(false)
    await expect.poll(reports).toBe(1)
    // The page that sends it shows the report, or says that it was sent.
    const said = other.getByText('Your report “Broken lamp” was sent.')
    await Promise.any([page.waitForURL('**/issues/*'), said.waitFor()])
    await page.goto(`${origin}/report`)
    await page.getByRole('heading', { level: 1 }).waitFor()

    expect(before).toBe(0)
    expect(await page.getByText('Broken lamp').count()).toBe(0)
    expect(await reports()).toBe(1)
  })

  it('sends a report on the next page if it was closed without a connection, and says what it lacks', async () => {
    const { page } = await open(FORM, withWorker)
    await page.getByLabel('What is the problem?').fill('Loose plate')
    await page.getByLabel('Address').fill('1 Elm Street')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The report waits on this device').waitFor()
    await page.goto('about:blank')
    await page.context().setOffline(false)

    await page.goto(`${origin}/report`)

    await page.getByText('Your report “Loose plate” is saved, but not published: it still needs your e-mail address.').waitFor()
    await page.getByRole('link', { name: 'Enter it' }).click()
    await page.getByLabel('Your e-mail address').waitFor()
    await page.getByText('Loose plate').first().waitFor()
    await page.goto(`${origin}/report`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText('Your report “Loose plate” was sent').count()).toBe(0)
  })

  it('no longer says that a report waits once the page without a connection has sent it', async () => {
    const { page } = await open(FORM, withWorker)
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.getByLabel('What is the problem?').fill('Bent pole')
    await page.getByLabel('Address').fill('1 Elm Street')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The report waits on this device').waitFor()
    await page.goto(`${origin}/report`)
    const waiting = page.getByText('One report waits on this device. It is not sent yet.')
    await waiting.waitFor()

    await page.context().setOffline(false)

    await page.getByText('Your report “Bent pole” is saved, but not published: it still needs your e-mail address.').waitFor()
    await expect.poll(() => waiting.isVisible()).toBe(false)
  })

  it('makes one draft of a report whose answer was lost on the way, and opens it', async () => {
    const { page } = await open(FORM, withWorker)
    await page.getByLabel('What is the problem?').fill('Open manhole')
    await page.getByLabel('Address').fill('1 Elm Street')
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await page.context().clearCookies()
      await route.abort()
    }
    await page.route('**/report', loseAnswer, { times: 1 })
    const drafts = () =>
      app.db.prisma.reportDraft.count({ where: { form_values: { path: ['answers', 'summary'], equals: 'Open manhole' } } })

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The report waits on this device').waitFor()
    const before = await drafts()
    await page.goto(`${origin}/places`)
    await page.goto(`${origin}/report`)
    await page.getByText('Your report “Open manhole” is saved, but not published: it still needs your e-mail address.').waitFor()
    await page.getByRole('link', { name: 'Enter it' }).click()
    await page.getByLabel('Your e-mail address').waitFor()

    expect({ before, after: await drafts() }).toEqual({ before: 1, after: 1 })
  })

  it('has its page without a connection in the language of the page before', async () => {
    const { page } = await open('/report', withWorker)
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.getByRole('button', { name: 'Español' }).click()
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL))
      .toContain('language=es')

    await page.context().setOffline(true)
    await page.goto(`${origin}/places`)

    await page.getByRole('heading', { name: 'Sin conexión' }).waitFor()
  })

  it('keeps no page but the one without a connection, and deletes the files of an older version', async () => {
    const { page } = await open('/places', withWorker)
    await page.evaluate(() => caches.open('fixpoint-old'))
    await page.goto(`${origin}/report`)
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.goto(`${origin}/places`)

    const kept = await page.evaluate(async () => {
      const names = await caches.keys()
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return { names, paths: requests.flat().map(({ url }) => new URL(url).pathname) }
    })

    expect(kept.names).toEqual([expect.not.stringMatching('fixpoint-old')])
    expect(kept.paths.filter((path) => !path.startsWith('/files/'))).toEqual(['/offline'])
  })

  it('puts a picture that another app shares to the next report, without sending it, and names the files that it refuses', async () => {
    const { page } = await open('/report', withWorker)
    await expect.poll(() => isControlled(page)).toBe(true)
    await page.goto(`${origin}/places`)
    const jpeg = (await photoAt(GREEN)).toString('base64')

    await page.evaluate((bytes) => {
      const form = Object.assign(document.createElement('form'), {
        method: 'post',
        action: '/report/photos',
        enctype: 'multipart/form-data',
      })
      const field = Object.assign(document.createElement('input'), { type: 'file', name: 'photos', multiple: true })
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], 'shared.jpg', { type: 'image/jpeg' }))
      transfer.items.add(new File(['text'], 'notes.txt', { type: 'text/plain' }))
      transfer.items.add(new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'huge.heic'))
      field.files = transfer.files
      form.append(field)
      document.body.append(form)
      form.submit()
    }, jpeg)
    await page.getByText('shared.jpg').waitFor()

    expect(new URL(page.url()).pathname).toBe('/report')
    expect(await page.locator('[data-photo-status]').textContent()).toMatch(
      /^notes\.txt is no picture that we can show: .* huge\.heic is larger than 20 MB: choose a smaller picture\./,
    )
    expect(await page.locator('.photo-list li').allInnerTexts()).toEqual([expect.stringContaining('shared.jpg')])
    await page.reload()
    await page.getByText('shared.jpg').waitFor()
    expect(await page.locator('[data-photo-status]').textContent()).not.toContain('notes.txt')
  })

  it('still sends no session with a link of another site', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const { page } = await open('/report', { ...withWorker, as: ada })
    await expect.poll(() => isControlled(page)).toBe(true)

    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.waitForURL(/127\.0\.0\.1/)

    expect(new URL(page.url()).pathname).toBe('/login')
  })
})
