import { describe, expect, it } from 'vitest'

import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDraftMails } from './draft-mails.ts'
import { createDrafts } from './drafts.ts'

const app = useApp()
const { visitor, report, reportAt, createAda, logIn, withPicture, draftPictures, images, draftCount, issues } = createDrafts(app)
const { open, requestMail, receive } = createDraftMails(app)

describe('the draft of another report', () => {
  const LAT = GREEN.lat + 0.001
  const lamp = { 'answers[summary]': 'Broken lamp' }
  const elsewhere = { lat: String(LAT), ...lamp }

  it.each([
    ['en', 'If you send another one, the saved one is deleted'],
    ['es', 'Si envías otro, el guardado se elimina'],
    ['fr', 'Si vous en envoyez un autre, celui qui est enregistré est supprimé'],
  ])('is named by the first step and the form, which say that it is replaced: in %s', async (language, text) => {
    const browser = visitor()
    await report(browser)
    const open = (path: string) => browser.get(path, { 'accept-language': language })

    const pages = [await open('/report'), await open(`/report?lat=${LAT}&lng=${GREEN.lng}&type=other`)]
    const own = await open(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)
    const home = await open('/')

    for (const page of pages) {
      expect(page.visibleText).toContain(text)
      expect(page.text).toContain('href="/report/draft"')
    }
    expect(home.text).toContain('href="/report/draft"')
    for (const page of [own, home]) expect(page.visibleText).not.toContain(text)
  })

  it('is not replaced by a form that was opened before: the form comes back, says so and can be sent again', async () => {
    const browser = await withPicture()

    const refused = await report(browser, elsewhere)
    const waiting = await browser.get('/report/draft')
    const sent = await report(browser, {
      ...elsewhere,
      replaced_draft_id: /name="replaced_draft_id" value="(\d+)"/.exec(refused.text)?.[1] ?? '',
    })

    expect(refused.status).toBe(409)
    expect(refused.visibleText).toContain('This report is not sent yet, because you saved another one in the meantime.')
    expect(refused.visibleText).toContain('the saved one is deleted')
    expect(refused.text).toContain('value="Broken lamp"')
    expect(waiting.visibleText).toContain('Deep pothole')
    expect(sent.status).toBe(303)
    expect((await browser.get('/report/draft')).visibleText).toContain('Broken lamp')
  })

  it('replaces that of its browser, which no browser could open any more', async () => {
    const browser = await withPicture()

    await reportAt(browser, LAT, lamp)

    expect((await browser.get('/report/draft')).visibleText).toContain('Broken lamp')
    expect(await draftCount()).toBe(1)
    expect(await images()).toEqual([])
  })

  it('leaves one whose link was mailed, and the link does not open the new one', async () => {
    const browser = await withPicture()
    await requestMail(browser)
    await reportAt(browser, LAT, lamp)
    const [mail] = await receive()
    const desk = visitor()

    await open(desk, /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '')

    expect((await desk.get('/report/draft')).visibleText).toContain('Deep pothole')
    expect((await browser.get('/report/draft')).visibleText).toContain('Broken lamp')
  })

  it('leaves that of an account, which publishes one report and still has the other', async () => {
    const browser = await withPicture()
    await logIn(browser, await createAda())

    await report(browser, elsewhere)

    expect(await issues()).toEqual([{ summary: 'Broken lamp', images: 0 }])
    expect(await draftPictures(browser)).toEqual(['1'])
  })
})
