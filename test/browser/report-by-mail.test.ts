import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { fitView, parseView, pixelsInView } from '../../src/web/map/drawn/drawn-view.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { createDraftMails } from '../web/report/draft-mails.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
const DESK = { viewport: { width: 1280, height: 800 } } as const
const photo = async () => ({ name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
/** A resident loads so many pages after the first one, until the one that says to look into the mail. */
const PAGE_LOADS_MAX = 6
/** The numbers of docs/PERFORMANCE.md, from the home page until the report is published. */
const STEPS_MAX = { phone: { presses: 7, loads: 7 }, desk: { presses: 7, loads: 6 } } as const

describe.runIf(hasChromium)(`a report by e-mail alone in a browser${skipped}`, () => {
  const { app, open, origin } = useBrowser()
  const { receive } = createDraftMails(app)
  let loads = 0
  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
  })
  beforeEach(() => {
    loads = 0
  })

  /** Counts requests, since the event of a loaded page may come after its heading. */
  const countLoads = (page: Page) =>
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame() && !request.redirectedFrom()) loads++
    })
  /** Opens the link of the mail on this page, as a resident does on any device. */
  async function openMail(page: Page): Promise<void> {
    const [mail] = await receive()
    const { pathname, search } = new URL(/http\S+\/report\/draft\/open\?token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.goto(origin + pathname + search)
  }
  const lastReport = () =>
    queryRows(
      app.db,
      sql`
        SELECT i.summary, u.name AS reporter, (SELECT count(*)::integer FROM media m WHERE m.issue_id = i.id) AS images
        FROM issues i JOIN users u ON u.id = i.reporter_id ORDER BY i.id DESC LIMIT 1`,
    )

  it('is written on a phone from the home map, with a photo, and published from the mail', async () => {
    const { page, complaints } = await open(`/?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=18`, PHONE)
    countLoads(page)
    let presses = 0
    const press = async (target: Locator) => {
      await target.tap()
      presses++
    }
    await page.waitForSelector('#map[data-state=ready]')

    await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Report' }))
    await page.waitForSelector('#map[data-state=ready]')
    await page.getByText('Step 1 of 3').waitFor()
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByText('Step 2 of 3').waitFor()
    await press(page.getByRole('link', { name: 'Other', exact: true }))
    await page.getByText('In danger? Call your emergency number').waitFor()
    await page.getByLabel('What is the problem?').fill('Deep pothole')
    await page.locator('input[type=file][multiple]').setInputFiles(await photo())
    await page.getByLabel('Address').fill('165 Church Street')
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByText('Step 3 of 3').waitFor()
    const violations = await findViolations(page)
    await page.getByLabel('Your e-mail address').fill('ada@example.org')
    await press(page.getByRole('button', { name: 'Send', exact: true }))
    await page.getByText('Look into your mail').waitFor()
    const loadsToSent = loads
    await openMail(page)
    presses++
    const published = await findViolations(page)
    await press(page.getByRole('button', { name: 'Publish the report' }))
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    const steps = { presses, loads }
    await page.getByRole('link', { name: /^Look at report #/ }).tap()
    await page.waitForURL('**/issues/*')
    const [picture, map] = [await page.locator('img.photo').boundingBox(), await page.locator('.page-map').boundingBox()]

    expect(picture && map && picture.y + picture.height <= map.y).toBe(true)
    expect(steps).toEqual(STEPS_MAX.phone)
    expect(loadsToSent).toBeLessThanOrEqual(PAGE_LOADS_MAX)
    expect(await page.locator('h1').textContent()).toBe('Deep pothole')
    expect(await lastReport()).toEqual([{ summary: 'Deep pothole', reporter: 'Resident', images: 1 }])
    expect([...violations, ...published, ...complaints]).toEqual([])
  })

  it('is written in Spanish at a desk from a click on the home map, and published from the mail', async () => {
    const { page, complaints } = await open(`/?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=18`, { ...DESK, locale: 'es' })
    countLoads(page)
    let presses = 0
    const press = async (target: Locator, position?: { x: number; y: number }) => {
      await target.click(position ? { position } : {})
      presses++
    }
    await page.waitForSelector('#map[data-state=ready]')
    const { width, height } = (await page.locator('#map canvas').boundingBox()) ?? { width: 0, height: 0 }

    // An issue of another test is in the middle.
    await press(page.locator('#map canvas'), { x: width / 2 + 100, y: height / 2 })
    await press(page.getByRole('link', { name: 'Reportar aquí' }))
    await press(page.getByRole('link', { name: 'Otro', exact: true }))
    const spot = await page.locator('section.spot img').getAttribute('src')
    await page.getByLabel('¿Cuál es el problema?').fill('Banco sin asiento')
    await page.getByLabel('Dirección').fill('Calle Mayor 1')
    await press(page.getByRole('button', { name: 'Continuar' }))
    await page.getByLabel('Tu correo electrónico').fill('dora@example.org')
    const shownAgain = await page.getByRole('main').locator('img').first().getAttribute('src')
    await page.keyboard.press('Enter')
    presses++
    await page.getByRole('heading', { name: 'Mira tu correo' }).waitFor()
    await openMail(page)
    presses++
    await press(page.getByRole('button', { name: 'Publicar el reporte' }))
    await page.getByText('Tu reporte está publicado.').waitFor()

    expect({ presses, loads }).toEqual(STEPS_MAX.desk)
    expect(shownAgain).toBe(spot)
    expect(await lastReport()).toEqual([{ summary: 'Banco sin asiento', reporter: 'Residente', images: 0 }])
    expect(complaints).toEqual([])
  })

  it('is written in Spanish without scripts, with at most six page loads from the map of a place', async () => {
    const { page } = await open('/places/new-haven', { javaScriptEnabled: false, locale: 'es', webGl: false })
    countLoads(page)

    await page
      .getByRole('main')
      .getByRole('link', { name: /^Reportar/ })
      .first()
      .click()
    await page.getByText('Escribir las coordenadas').click()
    await page.getByLabel('Latitud').fill(String(GREEN.lat))
    await page.getByLabel('Longitud').fill(String(GREEN.lng))
    await page.getByRole('button', { name: 'Continuar' }).last().click()
    await page.getByRole('link', { name: /^Otr/ }).first().click()
    await page.getByLabel('¿Cuál es el problema?').fill('Banco roto')
    await page.getByLabel('Dirección').fill('Calle Mayor 1')
    await page.getByRole('button', { name: 'Continuar' }).click()
    await page.getByLabel('Tu correo electrónico').press('b')
    await page.keyboard.type('en@example.org')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Mira tu correo' }).waitFor()
    const loadsToSent = loads
    await openMail(page)
    await page.getByRole('button', { name: 'Publicar el reporte' }).click()

    await page.getByText('Tu reporte está publicado.').waitFor()
    expect(loadsToSent).toBeLessThanOrEqual(PAGE_LOADS_MAX)
    expect(await lastReport()).toEqual([{ summary: 'Banco roto', reporter: 'Residente', images: 0 }])
  })

  it('is placed without scripts by clicks from the map of the whole country, with at most six page loads', async () => {
    await app.create.place({ name: 'Hobart', url_name: 'hobart', boundary: square(FAR_AWAY, 0.02) })
    const { page } = await open('/', { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
    countLoads(page)
    const clickOnMap = async () => {
      const view = parseView(await page.locator('.drawn-point [name=view]').inputValue()) ?? fitView()
      const [x, y] = pixelsInView(view, GREEN)
      await page.locator('.drawn-images input:visible').click({ position: { x, y } })
      return view.zoom
    }

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Report' }).click()
    const firstZoom = await clickOnMap()
    await clickOnMap()
    await clickOnMap()
    await page.getByRole('link', { name: 'Other', exact: true }).click()
    await page.getByLabel('What is the problem?').fill('Loose cover')
    await page.getByLabel('Address').fill('165 Church Street')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Your e-mail address').fill('cleo@example.org')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Look into your mail').waitFor()

    expect(firstZoom).toBeLessThan(4)
    expect(loads).toBeLessThanOrEqual(PAGE_LOADS_MAX)
  })
})
