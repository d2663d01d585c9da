import { describe, expect, it } from 'vitest'

import { type Browser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDrafts } from './drafts.ts'

const app = useApp()
const { visitor, picture } = createDrafts(app)
const form = { lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other', address: '' }
const texts = { 'answers[summary]': 'Deep pothole', 'answers[description]': 'Since Monday,\r\nnext to the school' }

const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
/** Presses a button that leads to an earlier step: that of the type, or that of the spot. */
async function leave(browser: Browser, step: 'type' | 'spot', more: Record<string, string | File> = {}) {
  const { text } = await browser.get(`/report?${at}&type=other`)
  const buttons = [...text.matchAll(/name="leave" value="([^"]+)" formnovalidate/g)].map(([, value = '']) => value)
  const path = buttons.find((value) => value.includes('lat=') === (step === 'type')) ?? ''
  return sendMultipart(browser, '/report', { ...form, ...texts, leave: path.replaceAll('&amp;', '&'), ...more })
}

/** Reads the form of a type at the spot of an address. */
async function formAt(browser: Browser, location: unknown, type: string) {
  const url = new URL(String(location), 'http://fixpoint.test')
  for (const [name, value] of Object.entries({ lat: form.lat, lng: form.lng, type })) url.searchParams.set(name, value)
  return browser.get(url.pathname + url.search)
}

describe('the form of a report without scripts', () => {
  it('has buttons that lead to an earlier step, which browsers with scripts replace by links', async () => {
    const { text } = await visitor().get(`/report?${at}&type=other`)

    const button =
      /<noscript><button class="plain" form="report-form" name="leave" value="([^"]+)" formnovalidate>[^<]+<\/button><\/noscript><a href="\1">/g
    expect(text.match(button)).toHaveLength(2)
    expect(text).toContain('<form method="post" enctype="multipart/form-data" action="/report" id="report-form"')
  })

  it('keeps the words and the picture while another type is chosen', async () => {
    const browser = visitor()
    const questions = [
      { built_in: 'summary', question: 'What?', question_type: 'text' },
      { built_in: 'description', question: 'More?', question_type: 'textarea' },
      { built_in: 'issue_image', question: 'Pictures?', question_type: 'file' },
    ] as const
    const id = await app.create.requestType({ title: 'Street light', questions: [...questions] })

    const left = await leave(browser, 'type', { 'answers[issue_image]': await picture() })
    const next = await formAt(browser, left.headers['location'], String(id))

    expect([left.status, left.headers['location']]).toEqual([303, expect.stringContaining(`/report?${at}`)])
    expect((await browser.get(String(left.headers['location']))).visibleText).toContain('What is broken?')
    expect(next.text).toContain('value="Deep pothole"')
    expect(next.text).toMatch(/Since Monday,\s+next to the school<\/textarea>/)
    expect(next.text.match(/data-remove-stored/g)).toHaveLength(1)
  })

  it('keeps them while another spot is chosen, and what was changed since', async () => {
    const browser = visitor()
    await leave(browser, 'type', { 'answers[issue_image]': await picture() })
    const shown = await formAt(browser, '/report', 'other')
    const draft_id = /name="draft_id" value="(\d+)"/.exec(shown.text)?.[1] ?? ''

    const left = await leave(browser, 'spot', { draft_id, 'answers[summary]': 'Two potholes' })
    const point = await browser.get(String(left.headers['location']))
    const next = await formAt(browser, left.headers['location'], 'other')

    expect(point.text).toContain('name="type" value="other"')
    expect(next.text).toContain('value="Two potholes"')
    expect(next.text.match(/data-remove-stored/g)).toHaveLength(1)
    expect(await app.db.prisma.reportDraft.count()).toBe(1)
  })

  it('leads to no other site', async () => {
    const left = await sendMultipart(visitor(), '/report', { ...form, ...texts, leave: 'https://elsewhere.example/' })

    expect([left.status, left.headers['location']]).toEqual([303, '/'])
  })

  it('sends the report that was kept', async () => {
    const browser = visitor()
    const left = await leave(browser, 'type', { 'answers[issue_image]': await picture() })
    const { text } = await formAt(browser, left.headers['location'], 'other')
    const draft_id = /name="draft_id" value="(\d+)"/.exec(text)?.[1] ?? ''

    const sent = await sendMultipart(browser, '/report', { ...form, ...texts, draft_id, address: '1 Elm Street' })

    expect([sent.status, sent.headers['location']]).toEqual([303, '/report/draft'])
    expect((await browser.get('/report/draft')).text).toMatch(/Deep pothole[\s\S]*\/report\/draft\/pictures\/1/)
  })
})
