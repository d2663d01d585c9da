import { describe, expect, it } from 'vitest'

import { sweep } from '../../jobs/sweep.ts'
import { sql } from '../../../src/database/database.ts'
import { findDraft } from '../../../src/reporting/drafts/draft-queries.ts'
import { findOrphanedKeys } from '../../../src/media/queries.ts'
import { type Browser, formKeyIn } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { redImage } from '../../media/stored-images.ts'
import { countTimes, createDrafts, registration } from './drafts.ts'

const app = useApp()
const { visitor, report, createAda, logIn } = createDrafts(app)
const picture = async () => new File([new Uint8Array(await redImage().toBuffer())], 'a.png', { type: 'image/png' })
const publish = async (browser: Browser) =>
  browser.post('/report/draft/publish', { form_key: formKeyIn(await browser.get('/report/draft')) })
const issues = () =>
  queryRows<{ id: number; summary: string; reporter: string; moderation_state: string; images: number }>(
    app.db,
    sql`
      SELECT i.id, i.summary, u.name AS reporter, i.moderation_state, (SELECT count(*)::integer FROM media m WHERE m.issue_id = i.id) AS images
      FROM issues i JOIN users u ON u.id = i.reporter_id ORDER BY i.id`,
  )
const draftCount = async () => app.db.prisma.reportDraft.count()

describe('the draft of a report', () => {
  it.each(['mail', 'publish', 'discard'])('is shown again when the answer of its form is reloaded: %s', async (step) => {
    const { status, headers } = await visitor().get(`/report/draft/${step}`)

    expect([status, headers['location']]).toEqual([303, '/report/draft'])
  })

  it('keeps what an anonymous visitor wrote, and is published by the account that the visitor creates', async () => {
    const browser = visitor()
    const form = await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)

    const sent = await report(browser, {
      'answers[issue_image]': await picture(),
    })
    const waiting = await browser.get('/report/draft')
    await browser.post('/register', { ...registration, return_to: '/report/draft' })
    const ready = await browser.get('/report/draft')
    const published = await browser.post('/report/draft/publish', { form_key: formKeyIn(ready) })

    expect(form.status).toBe(200)
    expect(form.visibleText).toContain('Your e-mail address is the last step. You need no account.')
    expect([sent.status, sent.headers['location']]).toEqual([303, '/report/draft'])
    expect(waiting.visibleText).toContain('It is not published yet.')
    expect(waiting.visibleText).toContain('Deep pothole')
    expect(waiting.visibleText).toContain('Step 3 of 3: your e-mail Send your report')
    expect(waiting.text).toContain('href="/login?return_to=%2Freport%2Fdraft%3Fpublish%3Dlogin"')
    expect(sent.headers['set-cookie']).toMatch(/Max-Age=86400;/)
    expect(waiting.headers['cache-control']).toBe('private, no-store')
    expect(published.headers['location']).toBe('/issues/1?reported=now')
    expect(await issues()).toEqual([
      { id: 1, summary: 'Deep pothole', reporter: 'Ada Park', moderation_state: 'passed', images: 1 },
    ])
    expect(await draftCount()).toBe(0)
    expect((await browser.get('/report/draft')).status).toBe(404)
  })

  it('waits for its account in another browser once the visitor has logged in', async () => {
    const ada = await createAda()
    const [phone, desk] = [visitor(), visitor()]
    await report(phone)

    await logIn(phone, ada)
    await phone.post('/logout', {})
    await logIn(desk, ada)
    const loggedOut = await phone.get('/report/draft')
    const published = await publish(desk)

    expect(loggedOut.status).toBe(404)
    expect(published.headers['location']).toBe('/issues/1?reported=now')
  })

  it.each([
    ['en', 'Only you can read it.', 'For 24 hours, everyone who uses this browser can read it.'],
    ['es', 'Solo tú puedes leerlo.', 'Durante 24 horas, cualquiera que use este navegador puede leerlo.'],
    ['fr', 'Vous seul pouvez le lire.', 'Pendant 24 heures, toute personne qui utilise ce navigateur peut le lire.'],
  ])('says who can read it, before and after the login: in %s', async (language, onlyYou, everyone) => {
    const browser = visitor()
    const open = () => browser.get('/report/draft', { 'accept-language': language })
    await report(browser)
    const before = await open()
    await logIn(browser, await createAda())

    const after = await open()

    expect(before.visibleText).toContain(everyone)
    expect(before.visibleText).not.toContain(onlyYou)
    expect(after.visibleText).toContain(onlyYou)
    expect(after.visibleText).not.toContain(everyone)
  })

  it('is private: no other browser and no other account reads, publishes or discards it', async () => {
    const other = visitor()
    await logIn(other, await createAda())
    await report(visitor())

    for (const browser of [other, visitor()]) {
      expect((await browser.get('/report/draft')).status).toBe(404)
      expect((await browser.post('/report/draft/discard', {})).status).toBe(404)
    }
    expect((await other.post('/report/draft/publish', {})).status).toBe(404)
    expect((await visitor().post('/report/draft/publish', {})).headers['location']).toBe('/login?return_to=%2Freport%2Fdraft')
    expect(await draftCount()).toBe(1)
  })

  it('is published once for a form that is sent twice at the same time', async () => {
    const browser = visitor()
    await report(browser)
    await logIn(browser, await createAda())
    const form_key = formKeyIn(await browser.get('/report/draft'))

    const answers = await Promise.all([1, 2].map(() => browser.post('/report/draft/publish', { form_key })))

    expect(answers.map(({ status }) => status).sort()).toEqual([
      303,
      expect.toSatisfy((status) => [303, 409].includes(status as number)),
    ])
    expect(await issues()).toHaveLength(1)
  })

  it('passes the content policy when it is published', async () => {
    const browser = visitor()
    await report(browser, { 'answers[summary]': 'Asshole on Elm Street' })
    await logIn(browser, await createAda())

    await publish(browser)

    expect(await issues()).toMatchObject([{ moderation_state: 'held' }])
  })

  it('stays anonymous if its author asked for it', async () => {
    const browser = visitor()
    await report(browser, { anonymize_reporter: 'true' })
    await logIn(browser, await createAda())

    await publish(browser)

    expect((await visitor().get('/issues/1')).visibleText).not.toContain('Ada Park')
    expect(await queryRows(app.db, sql`SELECT i.anonymous FROM issues i`)).toEqual([{ anonymous: true }])
  })

  it('shows its texts in the form again', async () => {
    const browser = visitor()
    await report(browser, { 'answers[description]': 'Next to the school' })
    const draft = await browser.get('/report/draft')

    const form = await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)
    const elsewhere = await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng + 0.001}&type=other`)

    expect(draft.text).toContain(`href="/report?lat=${GREEN.lat}&amp;lng=${GREEN.lng}&amp;type=other"`)
    expect(form.text).toContain('value="Deep pothole"')
    expect(form.text).toContain('Next to the school')
    expect(elsewhere.text).not.toContain('Deep pothole')
  })

  it.each([
    { lat: undefined, lng: undefined },
    { lat: '', lng: '' },
    { lat: '91', lng: '0' },
  ])('leads back to the place if it has none, and its texts come along: case %#', async (point) => {
    const browser = visitor()
    await report(browser)
    const [{ id = 0, form_values = {} } = {}] = await app.db.prisma.reportDraft.findMany()
    await app.db.prisma.reportDraft.update({ where: { id }, data: { form_values: { ...(form_values as object), ...point } } })

    const draft = await browser.get('/report/draft')
    const place = await browser.get('/report')
    const form = await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)

    expect(draft.status).toBe(200)
    expect(draft.text).toContain('<a href="/report">Choose the place of the report</a>')
    expect(place.status).toBe(200)
    expect(form.text).toContain('value="Deep pothole"')
  })

  it('leads to another place and another form after it could not be published', async () => {
    const browser = visitor()
    const type = await app.create.requestType({ title: 'Street light out' })
    await report(browser, { request_type_id: String(type) })
    await app.db.prisma.requestType.delete({ where: { id: type } })
    await logIn(browser, await createAda())

    const refused = await publish(browser)

    expect(refused.status).toBe(422)
    expect(refused.text).toContain(`href="/report?lat=${GREEN.lat}&amp;lng=${GREEN.lng}">Change it</a>`)
    expect(refused.text).toContain(`href="/report?view=17%2F${GREEN.lat}%2F${GREEN.lng}">Choose another place</a>`)
    expect(await draftCount()).toBe(1)
  })

  it('costs a visitor without a cookie and an account no query', async () => {
    const failing = { prisma: undefined } as unknown as Parameters<typeof findDraft>[0]

    const found = await findDraft(failing, { secretHash: undefined, userId: undefined }, new Date())

    expect(found).toBeUndefined()
  })

  it.each<Record<string, string>>([{ note: 'a\0b' }, { 'a\0b': '1' }, { 'zone[1]': '\0' }, { note: 'y'.repeat(500_000) }])(
    'has only the fields of a report: case %#',
    async (more) => {
      const sent = await report(visitor(), { ...more, anonymize_reporter: 'true' })

      expect([sent.status, sent.headers['location']]).toEqual([303, '/report/draft'])
      const [draft] = await app.db.prisma.reportDraft.findMany()
      expect(draft?.form_values).toEqual({
        lat: String(GREEN.lat),
        lng: String(GREEN.lng),
        request_type_id: 'other',
        address: '1 Elm Street',
        anonymize_reporter: 'true',
        answers: { summary: 'Deep pothole' },
      })
    },
  )

  it('is not saved if the report is invalid', async () => {
    const browser = visitor()

    const sent = await report(browser, { 'answers[summary]': '' })

    expect(sent.status).toBe(422)
    expect(sent.text).toContain('value="1 Elm Street"')
    expect(await draftCount()).toBe(0)
  })

  it('is discarded on request, and its pictures are orphans', async () => {
    const browser = visitor()
    await report(browser, { 'answers[issue_image]': await picture() })
    const [{ full_key = '' } = {}] = await app.db.prisma.reportDraftImage.findMany()
    const orphansBefore = await findOrphanedKeys(app.db, [full_key])

    const discarded = await browser.post('/report/draft/discard', {})

    expect((await visitor().get(`/files/${full_key}`)).status).toBe(404)
    expect(orphansBefore).toEqual([])
    expect(discarded.headers['location']).toBe('/')
    expect(await draftCount()).toBe(0)
    expect(await findOrphanedKeys(app.db, [full_key])).toEqual([full_key])
  })

  it('is gone after seven days', async () => {
    const browser = visitor()
    await report(browser)
    const in_ms = (days: number) => new Date(Date.now() + days * 86_400_000)

    await sweep('delete-expired-drafts', { db: app.db, clock: () => in_ms(6.9) })
    const kept = await draftCount()
    await sweep('delete-expired-drafts', { db: app.db, clock: () => in_ms(7.1) })

    expect(kept).toBe(1)
    expect(await draftCount()).toBe(0)
  })

  it('is refused with 429 after 300 drafts of a client address within an hour, and the form keeps its text', async () => {
    await countTimes(app.services.drafts, 299, '198.51.100.7')
    const [last, form] = [await report(visitor('198.51.100.7')), await report(visitor('198.51.100.7'))]

    expect([last.status, form.status]).toEqual([303, 429])
    expect(form.headers['retry-after']).toMatch(/^\d+$/)
    expect(form.visibleText).toContain('Too many reports without a login were saved from this address within an hour')
    expect(form.visibleText).not.toMatch(/The form has errors|after this form/)
    expect(form.text).toContain('value="Deep pothole"')
    expect(form.text).toContain('value="1 Elm Street"')
    const return_to = encodeURIComponent(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)
    expect(form.text).toContain(`href="/login?return_to=${return_to}" target="_blank"`)
    expect(await draftCount()).toBe(1)
  })
})
