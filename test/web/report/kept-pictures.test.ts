import { describe, expect, it } from 'vitest'

import { GREEN } from '../../helpers/factories.ts'
import { type Browser } from '../../helpers/browser.ts'
import { createLoggedInBrowser, EMPTY_FILE as NOTHING } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDrafts } from './drafts.ts'

const app = useApp()
const { visitor, picture, draftPictures, draftCount } = createDrafts(app)
const fields = { lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other', address: '1 Elm Street' }

async function send(browser: Browser, input: Record<string, string | File | readonly File[]>, more = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(input)) for (const one of [value].flat()) form.append(name, one)
  const request = new Request('http://fixpoint.test', { method: 'POST', body: form })
  const payload = Buffer.from(await request.arrayBuffer())
  const headers = { 'content-type': request.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin', ...more }
  return browser.send('POST', '/report', { payload, headers })
}

describe('a report with errors and pictures', () => {
  it('returns 422 with the form for a picture over 20 MB, which it names, and stores the others', async () => {
    const browser = await createLoggedInBrowser(app, await app.create.user())
    const large = new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'huge.jpg', { type: 'image/jpeg' })
    const small = await picture()
    const report = { ...fields, 'answers[summary]': 'Pothole' }

    const refused = await send(browser, { ...report, 'answers[issue_image]': [large, small] })
    const draft_id = /name="draft_id" value="(\d+)"/.exec(refused.text)?.[1] ?? ''
    const sent = await send(browser, { ...report, draft_id, 'answers[issue_image]': NOTHING })

    expect(refused.status).toBe(422)
    expect(refused.text).toContain('value="Pothole"')
    expect(refused.text).toMatch(
      /id="field-answers-issue_image-+error">“huge\.jpg” is larger than 20 MB: choose a smaller picture\./,
    )
    expect(refused.text.match(/data-remove-stored/g)).toHaveLength(1)
    expect(sent.headers['location']).toMatch(/^\/issues\/\d+\?reported=now$/)
    expect(await app.db.prisma.medium.count()).toBe(1)
    expect(await app.db.prisma.reportDraft.count()).toBe(0)
  })

  it('names the picture that it refuses among several', async () => {
    const good = await picture()
    const bad = new File(['no picture'], 'notes.jpg', { type: 'image/jpeg' })

    const answer = await send(await createLoggedInBrowser(app, await app.create.user()), {
      ...fields,
      'answers[summary]': 'Pothole',
      'answers[issue_image]': [good, bad],
    })

    expect(answer.text).toMatch(/id="field-answers-issue_image-+error">“notes\.jpg”: must be [^<]+\./)
    expect(answer.text.match(/data-remove-stored/g)).toHaveLength(1)
  })

  it('says why a file is no picture in its field and in the summary, also with errors in other fields', async () => {
    const browser = await createLoggedInBrowser(app, await app.create.user())
    const bad = new File(['no picture'], 'notes.jpg', { type: 'image/jpeg' })
    const invalid = { ...fields, address: '', 'answers[summary]': 'Pothole' }

    const alone = await send(browser, { ...invalid, 'answers[issue_image]': bad })
    const scripted = await send(browser, { ...invalid, 'answers[issue_image]': bad }, { 'x-requested-with': 'XMLHttpRequest' })
    const several = await send(browser, { ...invalid, 'answers[issue_image]': [await picture(), bad] })

    for (const { text } of [alone, scripted, several]) {
      expect(text).toMatch(/id="field-answers-issue_image-+error">(“notes\.jpg”: m|M)ust be a PNG, JPEG/)
      expect(text).toMatch(/<a href="#field-answers-issue_image-"><b>[^<]+<\/b> (“notes\.jpg”: m|M)ust be a PNG, JPEG/)
      expect(text).toMatch(/<a href="#field-address"><b>/)
      expect(text).not.toMatch(/data-chosen-again|choose the picture again/i)
    }
    expect([alone, several].map(({ text }) => text.match(/data-remove-stored/g)?.length ?? 0)).toEqual([0, 1])
  })

  it('returns 422 with the form for files that are too large and too many, and 413 only above 512 MB', async () => {
    const image = new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'hole.jpg', { type: 'image/jpeg' })
    const browser = await createLoggedInBrowser(app, await app.create.user())
    const report = { ...fields, 'answers[summary]': 'Pothole' }

    const answer = await send(browser, { ...report, 'answers[issue_image]': Array.from({ length: 6 }, () => image) })
    const endless = await send(browser, report, { 'content-length': String(512 * 1024 * 1024 + 1) })

    expect(answer.status).toBe(422)
    expect(answer.text).toContain('value="Pothole"')
    expect(answer.text).toMatch(/id="field-answers-issue_image-+error">“hole\.jpg” is larger than 20 MB/)
    expect(endless.status).toBe(413)
    expect(endless.visibleText).toContain('A form may have 5 files of 20 MB')
  })

  it('keeps the picture after validation errors, or asks to choose it again if scripts have kept it', async () => {
    const browser = await createLoggedInBrowser(app, await app.create.user())
    const image = await picture()
    const again = 'Choose the picture again: it was not saved with the form.'
    const invalid = { ...fields, address: '', 'answers[summary]': 'Pothole' }

    const scripted = await send(browser, { ...invalid, 'answers[issue_image]': image }, { 'x-requested-with': 'XMLHttpRequest' })
    const none = await send(browser, { ...invalid, 'answers[issue_image]': NOTHING })
    const kept = await send(browser, { ...invalid, 'answers[issue_image]': image })

    expect([scripted.status, none.status, kept.status]).toEqual([422, 422, 422])
    expect(scripted.text).toMatch(new RegExp(`<p class="field-error" id="field-answers-issue_image-[^"]*">${again}</p>`))
    expect(scripted.text).toMatch(new RegExp(`<a href="#field-answers-issue_image-"><b>[^<]+</b> ${again}</a>`))
    // With scripts, the page attaches the pictures again.
    expect(scripted.text).toContain('data-chosen-again')
    for (const { text } of [none, kept]) expect(text).not.toMatch(/data-chosen-again|choose the picture again/i)
    expect([none, kept].map(({ text }) => text.match(/data-remove-stored/g)?.length ?? 0)).toEqual([0, 1])
  })

  it('keeps the valid pictures of a report with errors, which is not published or mailed before it is corrected', async () => {
    const browser = visitor()
    const noSummary = { ...fields, 'answers[summary]': '' }
    const invalid = await send(browser, { ...noSummary, 'answers[issue_image]': await picture() })
    const draft_id = /name="draft_id" value="(\d+)"/.exec(invalid.text)?.[1] ?? ''
    const incomplete = await browser.get('/report/draft')

    const again = await send(browser, { ...noSummary, draft_id, 'answers[issue_image]': await picture() })
    const corrected = await send(browser, { ...fields, draft_id, 'answers[summary]': 'Pothole' })

    expect([invalid.status, again.status, corrected.status]).toEqual([422, 422, 303])
    expect(invalid.text).toContain('value="1 Elm Street"')
    expect([invalid, again].map(({ text }) => text.match(/data-remove-stored/g)?.length)).toEqual([1, 2])
    expect(incomplete.visibleText).toContain('The report cannot be published as it is. Change it, then publish it.')
    expect(incomplete.text).not.toMatch(/draft\/(mail|publish|open)/)
    expect(await draftPictures(browser)).toEqual(['1', '2'])
    expect((await browser.get('/report/draft')).text).toContain('action="/report/draft/mail"')
  })

  it('takes its pictures along to another spot', async () => {
    const browser = visitor()
    await send(browser, { ...fields, 'answers[summary]': '', 'answers[issue_image]': await picture() })

    const form = await browser.get(`/report?lat=${GREEN.lat + 0.001}&lng=${GREEN.lng}&type=other`)

    expect(form.text.match(/data-remove-stored/g)).toHaveLength(1)
    for (const { text } of [form, await browser.get('/report')]) expect(text).not.toContain('data-draft-notice')
  })

  it('replaces the pictures of a form with errors by those of the same form that the back button has shown again', async () => {
    const browser = visitor()
    await send(browser, { ...fields, 'answers[summary]': '', 'answers[issue_image]': await picture() })

    await send(browser, { ...fields, 'answers[summary]': 'Pothole', 'answers[issue_image]': await picture() })

    expect(await draftPictures(browser)).toEqual(['1'])
    expect(await draftCount()).toBe(1)
  })
})
