import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { GREEN, square, type TestUser } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { createImage } from '../media/stored-images.ts'
import { createModerationScenario } from '../moderation/scenario.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

/* Whole flows in a browser. The report by a click on the map is in report.test.ts, those by keyboard alone are in keyboard.test.ts.
 * Walks on which the map is only seen have drawn maps. */

const PASSWORD = 'correct horse'
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
const church = { lat: String(GREEN.lat), lon: String(GREEN.lng), display_name: '165, Church Street, New Haven' }
const results = [church, ...[1, 2, 3, 4].map((number) => ({ ...church, display_name: `${number} Church Street` }))]
const address = { house_number: '165', road: 'Church Street', city: 'New Haven', country_code: 'us' }
const geocoder = createServer(({ url }, response) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(url?.startsWith('/search') ? results : { address })),
)
await new Promise<void>((resolve) => void geocoder.listen(0, '127.0.0.1', resolve))
afterAll(() => void geocoder.close())

const hole = async () => ({ name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })

describe.runIf(hasChromium)(`in a browser${skipped}`, () => {
  const { app, open } = useBrowser({
    GEOCODER_URL: `http://127.0.0.1:${(geocoder.address() as AddressInfo).port}`,
    GEOCODER_LIMIT: '1000',
  })
  const moderation = createModerationScenario(app)
  let ada: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
  })

  const lastReport = () =>
    queryRows<{ summary: string; address: string; reporter: string; images: number }>(
      app.db,
      sql`
        SELECT i.summary, i.address, u.name AS reporter, (SELECT count(*)::integer FROM media m WHERE m.issue_id = i.id) AS images
        FROM issues i JOIN users u ON u.id = i.reporter_id ORDER BY i.id DESC LIMIT 1`,
    )

  it('a resident reports at an address on a phone, where the found addresses are in view and have the focus', async () => {
    const { page, complaints } = await open('/report', { ...PHONE, as: ada })

    await page.getByLabel('Address or name of the spot').fill('Church')
    await page.getByRole('searchbox').press('Enter')
    await page.waitForURL('**/report?*address=Church#addresses')
    await page.waitForSelector('#map[data-state=ready]')
    const bar = await page.locator('.point-continue').boundingBox()
    const last = await page.getByRole('link', { name: '4 Church Street' }).boundingBox()
    expect(last && bar && last.y > 0 && last.y + last.height < bar.y).toBe(true)
    expect(await page.evaluate('document.activeElement.id')).toBe('addresses')
    await page.getByRole('link', { name: church.display_name }).tap()
    await expect.poll(() => page.locator('[data-point-status]').textContent()).toContain('The spot under the cross is chosen.')
    await page.getByRole('button', { name: 'Continue' }).tap()
    await page.getByRole('link', { name: 'Other', exact: true }).click()
    await page.getByLabel('What is the problem?').fill('Broken bench')
    await page.getByRole('button', { name: 'Send the report' }).click()
    await page.waitForURL('**/issues/*?reported=now')

    expect(await lastReport()).toEqual([
      { summary: 'Broken bench', address: '165 Church Street, New Haven', reporter: 'Ada Park', images: 0 },
    ])
    expect(complaints).toEqual([])
  })

  it('a resident without JavaScript reports with a photo, and logs in last', async () => {
    const { page, complaints } = await open('/', { webGl: false, javaScriptEnabled: false })

    await page.getByRole('link', { name: 'choose the spot in another way' }).click()
    await page.getByLabel('Address or name of the spot').fill('Church St')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: church.display_name }).click()
    await page.getByRole('link', { name: 'Other', exact: true }).click()
    await page.getByLabel('What is the problem?').fill('Deep pothole')
    await page.locator('input[type=file][multiple]').setInputFiles(await hole())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('It is not published yet.').waitFor()
    await page.getByRole('link', { name: 'Change it' }).click()
    await page.getByLabel('What is the problem?').fill('Deeper pothole')
    expect(await page.getByRole('img', { name: 'Picture 1' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('It is not published yet.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Log in and publish' }).click()
    await page.getByLabel('E-mail address').fill(ada.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()

    await page.getByText('What happens next').waitFor()
    expect(await page.locator('img.photo').count()).toBe(1)
    expect(await lastReport()).toEqual([
      { summary: 'Deeper pothole', address: '165 Church Street, New Haven', reporter: 'Ada Park', images: 1 },
    ])
    expect(complaints).toEqual([])
  })

  it('an employee acknowledges and closes a report, and residents see the official answer', async () => {
    const organization = await app.create.organization({ name: 'Denver Roads' })
    const ella = await app.create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization }] })
    const request_type = await app.create.requestType({ title: 'Pothole', organization })
    const issue = await app.create.issue({ summary: 'Deep pothole', reporter: ada, request_type })
    const { page, complaints } = await open(`/issues/${issue}`, { webGl: false, as: ella })

    await page.getByLabel('Your comment').fill('We come on Monday.')
    await page.getByRole('button', { name: 'Comment and acknowledge', exact: true }).click()
    await page.getByText('acknowledged this').waitFor()
    await page.getByLabel('Your comment').fill('It is filled.')
    await page.getByLabel('Outcome').selectOption('fixed')
    await page.getByRole('button', { name: 'Comment and close', exact: true }).click()
    await page.getByText('closed this').waitFor()

    const { page: resident } = await open(`/issues/${issue}`, { webGl: false })
    const entries = await resident.locator('.comments li').allInnerTexts()
    expect(entries).toEqual([
      expect.stringMatching(/^Ella Reyes Official · Denver Roads acknowledged this[^]*We come on Monday\./),
      expect.stringMatching(/^Ella Reyes Official · Denver Roads closed this[^]*It is filled\./),
    ])
    expect(await resident.locator('.heading .status').textContent()).toBe('Closed · fixed')
    expect(complaints).toEqual([])
  })

  it('a moderator approves one report, and rejects another with a reason', async () => {
    const mia = await moderation.moderator('Mia Wong')
    const good = await moderation.createPendingReport(ada, { answers: { summary: 'Fucking deep hole' } })
    const bad = await moderation.createPendingReport(ada, { answers: { summary: 'My fucking neighbour' } })
    const { page, complaints } = await open('/', { webGl: false, as: mia })

    await page.getByRole('link', { name: 'Moderation' }).click()
    await page.getByRole('link', { name: 'Fucking deep hole' }).click()
    await page.getByLabel('Summary').fill('Deep hole')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved: it is public now.').waitFor()
    await page.getByRole('link', { name: 'My fucking neighbour' }).click()
    await page.getByLabel('Reason').fill('It is about a person.')
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Nothing is pending review').waitFor()

    const { page: reporter } = await open(`/issues/${good}`, { webGl: false, as: ada })
    expect(await reporter.locator('h1').textContent()).toBe('Deep hole')
    await reporter.goto(new URL(`/issues/${bad}`, reporter.url()).href)
    await reporter.getByText('It is about a person.').waitFor()
    const { page: others } = await open(`/issues/${bad}`, { webGl: false })
    expect(await others.locator('h1').textContent()).toContain('not')
    expect(complaints).toEqual([])
  })

  it('a moderator draws a box over a face, and the old picture is gone', async () => {
    const issue_id = await app.create.issue({ summary: 'Bench', reporter: ada })
    const { key } = await createImage(app, { issue_id })
    const { page, complaints } = await open(`/issues/${issue_id}`, { webGl: false, as: await moderation.moderator('Mia Hill') })

    await page.getByRole('link', { name: /Redact/ }).click()
    await page.waitForURL('**/moderation/pictures/*')
    const picture = await page.locator('.redaction').boundingBox()
    const { x = 0, y = 0, width = 0, height = 0 } = picture ?? {}
    await page.mouse.move(x + width / 4, y + height / 4)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.up()
    await page.getByRole('button', { name: 'Redact for good' }).click()
    await page.getByText('redacted a picture').waitFor()

    expect((await app.as.anonymous.send('GET', `/files/${key}`)).status).toBe(404)
    expect(await page.locator('img.photo').getAttribute('src')).not.toContain(key)
    expect(complaints).toEqual([])
  })
})
