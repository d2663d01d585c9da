import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createBrowser, formKeyIn } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { redAndBlue } from '../../helpers/heic.ts'
import { imagesWithMetadata } from '../../helpers/images.ts'
import { useApp } from '../../helpers/use-app.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const read = (url: string) => createBrowser(app.fastify).get(url)

describe('POST /report', () => {
  const PASSWORD = 'correct horse'
  let ada: { id: number; email: string }

  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
  })

  async function adasBrowser() {
    const one = createBrowser(app.fastify)
    await one.post('/login', { email: ada.email, password: PASSWORD })
    return one
  }

  const fields = { lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other', address: '1 Elm Street' }

  /** Sends the form as browsers do, with an empty part for a file field without a file. */
  async function send(
    browser: ReturnType<typeof createBrowser>,
    input: Record<string, string | File | readonly (string | File)[]>,
    url = '/report',
  ) {
    const form = new FormData()
    for (const [name, value] of Object.entries(input)) {
      for (const one of Array.isArray(value) ? (value as (string | File)[]) : [value as string | File]) form.append(name, one)
    }
    const request = new Request('http://fixpoint.test', { method: 'POST', body: form })
    const payload = Buffer.from(await request.arrayBuffer())
    const headers = { 'content-type': request.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin' }
    return browser.send('POST', url, { payload, headers })
  }

  const NOTHING = new File([], '', { type: 'application/octet-stream' })
  const issues = () =>
    queryRows<{ summary: string; address: string; anonymous: boolean; moderation_state: string }>(
      app.db,
      sql`
      SELECT i.summary, i.address, i.anonymous, i.moderation_state FROM issues i ORDER BY i.id`,
    )
  const answersOf = () =>
    queryRows<{ question: string; value: unknown }>(
      app.db,
      sql`SELECT a.question, a.value FROM issue_answers a ORDER BY a.position, a.id`,
    )

  it('creates an issue with a picture, and thanks the reporter', async () => {
    const browser = await adasBrowser()
    const form = await browser.get(`/report?${at}&type=other`)
    const [jpeg] = await imagesWithMetadata()
    const image = new File([new Uint8Array(jpeg?.bytes ?? [])], 'hole.jpg', { type: 'image/jpeg' })
    const heic = new File([new Uint8Array(redAndBlue())], 'hole.heic', { type: 'image/heic' })

    const sent = await send(browser, {
      ...fields,
      'answers[summary]': 'Pothole',
      'answers[description]': '',
      'answers[issue_image]': [image, heic],
    })
    const page = await browser.get(String(sent.headers['location']))
    const later = await browser.get('/issues/1')
    const others = await read('/issues/1?reported=now')
    await app.db.prisma.emailAddress.updateMany({ data: { confirmed_at: null } })
    const unconfirmed = await browser.get('/issues/1?reported=now')

    expect(sent).toMatchObject({ status: 303, headers: { location: '/issues/1?reported=now' } })
    expect(await issues()).toEqual([{ summary: 'Pothole', address: '1 Elm Street', anonymous: false, moderation_state: 'passed' }])
    expect(page.visibleText).toContain(
      'Thank you for your report. It is public now, and you follow it: you get mails about it. Your report',
    )
    expect(unconfirmed.visibleText).toContain('you get mails about it when your e-mail address is confirmed.')
    expect(page.visibleText).toMatch(
      /Your report has the number 1\. Its address: http:\/\/fixpoint\.test\/i\/\S+ What happens next No organisation/,
    )
    expect(page.text).toMatch(/<a class="button" href="\/\?lat=41\.3083&amp;lng=-72\.9279&amp;zoom=16">See it on the map<\/a>/)
    expect((await browser.get('/?lat=41.3083&lng=-72.9279&zoom=16')).visibleText).toMatch(/1 issue Pothole/)
    expect(form.text).toMatch(/name="answers\[issue_image\]" type="file" accept="[^"]+"[^>]* multiple/)
    expect(form.visibleText).toContain('Up to 5 pictures')
    expect(form.text).toMatch(
      /<div class="photos" data-photos [^>]*hidden>[^]*id="photo-take" accept="[^"]+"[^>]* capture="environment"/,
    )
    expect(page.text.match(/<img class="photo" src="\/files\/pictures\/[^"]+\.jpg"/g)).toHaveLength(2)
    expect(page.text).toContain('alt="Picture 2 of 2 of: Pothole"')
    expect(later.visibleText).toContain('This is your report.')
    expect(others.visibleText).not.toMatch(/Thank you|your report/)
  })

  it('returns 422 with the form and its text for a sixth picture and more, but counts no empty file field', async () => {
    const browser = await adasBrowser()
    const [jpeg] = await imagesWithMetadata()
    const image = new File([new Uint8Array(jpeg?.bytes ?? [])], 'hole.jpg', { type: 'image/jpeg' })
    const pictures = (count: number) => ({ 'answers[issue_image]': Array.from({ length: count }, () => image) })
    const report = { ...fields, 'answers[summary]': 'Pothole' }

    const tooMany = [await send(browser, { ...report, ...pictures(6) }), await send(browser, { ...report, ...pictures(12) })]
    const five = await send(browser, { ...report, ...pictures(5), 'answers[1]': NOTHING })

    for (const { status, text } of tooMany) {
      expect(status).toBe(422)
      expect(text).toContain('value="Pothole"')
      expect(text).toMatch(/id="field-answers-issue_image-+error">Must be at most 5 pictures: choose them again\./)
    }
    expect(five.status).toBe(303)
    expect(await issues()).toHaveLength(1)
  })

  it('shows the right field for each question, and parses what browsers send', async () => {
    const choices = [
      { key: 'l', name: 'Left' },
      { key: 'r', name: 'Right' },
    ]
    const type = await app.create.requestType({
      title: 'Pothole',
      questions: [
        { question: 'Side?', question_type: 'select', select_values: choices, response_required: true },
        { question: 'Sides?', question_type: 'multivaluelist', select_values: choices },
        { question: 'Depth?', question_type: 'number' },
        { question: 'Since?', question_type: 'datetime' },
        { question: 'Wet?', question_type: 'boolean' },
        { question: 'Read this.', question_type: 'note' },
        { question: 'Your phone?', question_type: 'text', answer_kept_private: true },
        { question: 'Picture?', question_type: 'file' },
      ],
    })
    const browser = await adasBrowser()
    const form = await browser.get(`/report?${at}&type=${type}`)
    const [side, sides, depth, since, wet, , phone, file] = (
      await queryRows<{ id: number }>(app.db, sql`SELECT q.id FROM request_type_questions q ORDER BY q.position`)
    ).map(({ id }) => id)

    const sent = await send(browser, {
      ...fields,
      request_type_id: String(type),
      form_key: formKeyIn(form),
      [`answers[${side}]`]: 'l',
      [`answers[${sides}][]`]: ['l', 'r'],
      [`answers[${depth}]`]: '30.5',
      [`answers[${since}]`]: '2026-11-20T09:30',
      [`zone[${since}]`]: '-05:00',
      [`answers[${wet}]`]: 'true',
      [`answers[${phone}]`]: '555-0100',
      [`answers[${file}]`]: NOTHING,
      anonymize_reporter: 'true',
    })

    expect(form.text).toMatch(new RegExp(`<select id="[^"]+" name="answers\\[${side}\\]" required>`))
    expect(form.text).toContain(`<input type="checkbox" name="answers[${sides}][]" value="l">`)
    expect(form.text).toMatch(new RegExp(`name="answers\\[${since}\\]" type="datetime-local"`))
    expect(form.text).toMatch(/<option value="(-0[45]:00)" selected>UTC\1<\/option>/)
    expect(form.text).toMatch(
      new RegExp(`name="answers\\[${file}\\]" type="file" accept="image/\\*,\\.heic,\\.heif"[^>]* aria-describedby`),
    )
    expect(form.visibleText).toContain('Read this.')
    expect(form.visibleText).toContain('Only the organisation sees your answer.')
    expect(sent.status).toBe(303)
    expect(await issues()).toMatchObject([{ summary: 'Pothole', anonymous: true }])
    expect(await answersOf()).toEqual([
      { question: 'Side?', value: 'l' },
      { question: 'Sides?', value: ['l', 'r'] },
      { question: 'Depth?', value: 30.5 },
      { question: 'Since?', value: '2026-11-20T09:30:00-05:00' },
      { question: 'Wet?', value: true },
      { question: 'Your phone?', value: '555-0100' },
    ])
    expect((await browser.get(String(sent.headers['location']))).visibleText).toContain('Others see it without your name.')
  })

  it('says what the responsible organisation does next', async () => {
    const works = await app.create.organization({ name: 'Public Works' })
    const type = await app.create.requestType({ title: 'Pothole', organization: works })
    const browser = await adasBrowser()

    const sent = await send(browser, { ...fields, request_type_id: String(type) })
    const page = await browser.get(String(sent.headers['location']))

    expect(page.visibleText).toContain('What happens next Public Works reads the report, acknowledges it when work on it begins')
  })

  it('shows validation errors next to the fields and keeps the input', async () => {
    const browser = await adasBrowser()
    const text = new File(['no picture'], 'hole.jpg', { type: 'image/jpeg' })

    const answer = await send(browser, {
      ...fields,
      address: '',
      'answers[summary]': '',
      'answers[description]': 'Deep & wide',
      'answers[issue_image]': text,
      anonymize_reporter: 'true',
    })

    expect(answer.status).toBe(422)
    expect(answer.headers['cache-control']).toBe('private, no-store')
    expect(answer.visibleText).toContain('The form has errors. Correct the marked fields.')
    expect(answer.text).toMatch(
      /<li><a href="#(field-answers-summary-)"><b>What is the problem\?<\/b> Must not be blank\.<\/a><\/li>[^]* id="\1"/,
    )
    expect(answer.text).toContain(
      '<li><a href="#field-address"><b>Address or description of the place</b> Must not be blank.</a></li>',
    )
    expect(answer.text).toMatch(
      /aria-invalid="true" required>\s*<p class="field-error" id="field-answers-summary--error">Must not be blank\./,
    )
    expect(answer.text).toMatch(/id="field-address-error">Must not be blank\./)
    expect(answer.text).toContain('id="field-answers-issue_image--error"')
    expect(answer.text).toContain('Deep &amp; wide</textarea>')
    expect(answer.text).toMatch(/name="anonymize_reporter" value="true" checked/)
    expect(await issues()).toEqual([])
  })

  it('shows the reporter a pending issue, and hides it from others', async () => {
    const browser = await adasBrowser()
    const links = Array.from({ length: 12 }, (_, n) => `https://spam${n}.example/x`).join(' ')

    const sent = await send(browser, { ...fields, 'answers[summary]': 'Look', 'answers[description]': links })

    expect(await issues()).toMatchObject([{ moderation_state: 'held' }])
    expect((await browser.get(String(sent.headers['location']))).visibleText).toContain(
      'Thank you. A moderator reviews your report before it is public.',
    )
    expect((await browser.get(String(sent.headers['location']))).visibleText).toMatch(
      /Your report has the number 1\..*When a moderator has approved it, it appears on the map/,
    )
    expect((await read('/issues/1')).status).toBe(404)
  })

  it('creates one issue for the same form sent twice, and another for changed input', async () => {
    const browser = await adasBrowser()
    const form_key = formKeyIn(await browser.get(`/report?${at}&type=other`))
    const input = { ...fields, form_key, 'answers[summary]': 'Pothole' }

    const [first, again] = [await send(browser, input), await send(browser, input)]
    const changed = await send(browser, { ...input, 'answers[summary]': 'Another pothole' })

    expect([first, again, changed].map(({ headers }) => headers['location'])).toEqual([
      '/issues/1?reported=now',
      '/issues/1?reported=now',
      '/issues/2?reported=now',
    ])
  })

  it('returns 403 for cross-site requests', async () => {
    const browser = await adasBrowser()
    const foreign = await browser.post('/report', { ...fields, 'answers[summary]': 'Pothole' }, { 'sec-fetch-site': 'cross-site' })

    expect(foreign.status).toBe(403)
    expect(await issues()).toEqual([])
  })
})
