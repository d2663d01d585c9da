import { describe, expect, it } from 'vitest'

import { findOrphanedKeys } from '../../../src/media/queries.ts'
import { type Browser, formKeyIn } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDraftMails } from './draft-mails.ts'
import { countTimes, createDrafts } from './drafts.ts'

const app = useApp()
const { visitor, report, reportAt, createAda, logIn, picture, withPicture, draftPictures, images, draftCount, issues } =
  createDrafts(app)
const { tokenOfMail, open } = createDraftMails(app)
const form = (browser: Browser, type: number | 'other' = 'other') =>
  browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=${type}`)
/** Sends the form of the draft as a browser does: with its hidden fields. */
async function change(browser: Browser, more: Record<string, string | File> = {}, page = form(browser)) {
  const { text } = await page
  const draft_id = /name="draft_id" value="(\d+)"/.exec(text)?.[1] ?? ''
  return report(browser, { form_key: formKeyIn({ text }), draft_id, 'answers[summary]': 'Deeper pothole', ...more })
}

describe('the form of a draft', () => {
  it.each([
    ['en', 'Saved pictures', 'Remove picture 1'],
    ['es', 'Imágenes guardadas', 'Quitar la imagen 1'],
    ['fr', 'Images enregistrées', 'Retirer l’image 1'],
  ])('shows its pictures, each with a box that removes it: in %s', async (language, heading, remove) => {
    const browser = await withPicture()

    const page = await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`, { 'accept-language': language })

    expect(page.visibleText).toContain(heading)
    expect(page.visibleText).toContain(remove)
    expect(page.text).toContain('<img src="/report/draft/pictures/1"')
    expect(page.headers['cache-control']).toBe('private, no-store')
  })

  it('keeps the pictures when it only corrects the words', async () => {
    const browser = await withPicture()

    const sent = await change(browser)

    expect([sent.status, sent.headers['location']]).toEqual([303, '/report/draft'])
    expect((await browser.get('/report/draft')).visibleText).toContain('Deeper pothole')
    expect(await draftPictures(browser)).toEqual(['1'])
    expect((await browser.get('/report/draft/pictures/1')).status).toBe(200)
  })

  it('removes a picture and adds others; the file of the removed one becomes an orphan', async () => {
    const browser = await withPicture()
    await change(browser, { 'answers[issue_image]': await picture() })
    const [first, second] = await images()

    await change(browser, { 'removed_pictures[]': String(first?.id), 'answers[issue_image]': await picture() })

    const after = await images()
    expect(after).toHaveLength(2)
    expect(after[0]).toEqual(second)
    expect(await findOrphanedKeys(app.db, [first?.full_key ?? '', second?.full_key ?? ''])).toEqual([first?.full_key])
  })

  it('comes back with its boxes if there are more than five pictures in all', async () => {
    const browser = await withPicture()
    for (let n = 0; n < 4; n++) await change(browser, { 'answers[issue_image]': await picture() })
    const [first] = await images()

    const sent = await change(browser, { 'answers[issue_image]': await picture() })
    const invalid = await change(browser, { 'removed_pictures[]': String(first?.id), 'answers[summary]': '' })

    expect(sent.status).toBe(422)
    expect(sent.text.match(/data-remove-stored/g)).toHaveLength(5)
    expect(sent.text).toMatch(/name="draft_id" value="\d+"/)
    expect(invalid.status).toBe(422)
    expect(invalid.text).toContain(`value="${first?.id}" data-remove-stored checked`)
    expect(await draftPictures(browser)).toHaveLength(5)
  })

  it('keeps the file of another question, which is then not required again, until another file replaces it', async () => {
    const type = await app.create.requestType({ title: 'Street light out' })
    const { id } = await app.db.prisma.requestTypeQuestion.create({
      data: {
        request_type_id: type,
        position: 1,
        question: 'The number on the pole',
        question_type: 'file',
        response_required: true,
      },
    })
    const browser = visitor()
    const fields = { request_type_id: String(type), [`answers[${id}]`]: await picture() }
    const first = await report(browser, fields)
    const page = await form(browser, type)

    await change(browser, { request_type_id: String(type) }, Promise.resolve(page))
    const [stays] = await images()
    await change(browser, fields, form(browser, type))
    const [replaced, ...others] = await images()
    const removed = await change(
      browser,
      { request_type_id: String(type), 'removed_pictures[]': String(replaced?.id) },
      form(browser, type),
    )

    expect(first.status).toBe(303)
    expect(page.text).toContain('data-remove-stored')
    expect(page.text).not.toMatch(/<input[^>]*type="file"[^>]*required/)
    expect(stays).toMatchObject({ primary_key: String(id) })
    expect(replaced?.full_key).not.toBe(stays?.full_key)
    expect(others).toEqual([])
    expect(removed.status).toBe(422)
  })

  it('publishes the report of a resident who has logged in with its pictures, and removes the draft', async () => {
    const browser = await withPicture()
    await logIn(browser, await createAda())

    const sent = await change(browser, { 'answers[issue_image]': await picture() })

    expect(sent.headers['location']).toBe('/issues/1?reported=now')
    expect(await issues()).toEqual([{ summary: 'Deeper pothole', images: 2 }])
    expect(await draftCount()).toBe(0)
    expect((await browser.get('/report/draft')).status).toBe(404)
  })

  it('publishes the report once for a form that is sent twice', async () => {
    const browser = await withPicture()
    await logIn(browser, await createAda())
    const page = Promise.resolve(await form(browser))

    const twice = await Promise.all([1, 2].map(() => change(browser, {}, page)))
    const again = await change(browser, {}, page)

    expect(twice.map(({ status }) => status).sort()).toEqual([
      303,
      expect.toSatisfy((status) => [303, 409].includes(status as number)),
    ])
    expect(again.headers['location']).toBe('/issues/1?reported=now')
    expect(await issues()).toHaveLength(1)
  })

  it('asks before it makes another report of a draft that another tab has published', async () => {
    const browser = await withPicture()
    await logIn(browser, await createAda())
    const page = Promise.resolve(await form(browser))
    await browser.post('/report/draft/publish', { form_key: formKeyIn(await browser.get('/report/draft')) })

    const sent = await change(browser, {}, page)
    const before = await issues()
    const confirmed = await change(browser, {}, Promise.resolve(sent))

    expect(sent.status).toBe(409)
    expect(sent.visibleText).toContain('it was published or discarded meanwhile')
    expect(sent.text).toContain('value="Deeper pothole"')
    expect(sent.text).not.toContain('name="draft_id"')
    expect(before).toHaveLength(1)
    expect(confirmed.headers['location']).toBe('/issues/2?reported=now')
  })

  it('changes no draft of another browser', async () => {
    const browser = await withPicture()
    const other = visitor()

    const sent = await change(other, {}, form(browser))

    expect(sent.status).toBe(409)
    expect(sent.text).not.toContain('data-remove-stored')
    expect((await browser.get('/report/draft')).visibleText).toContain('Deep pothole')
    expect(await draftCount()).toBe(1)
  })
})

describe('a changed draft', () => {
  it('replaces its first version: the link of an earlier mail opens it, and discarding deletes it', async () => {
    const browser = await withPicture()
    const token = await tokenOfMail(browser)
    const [{ full_key = '', id = 0 } = {}] = await images()
    await change(browser, { 'removed_pictures[]': String(id) })
    const desk = visitor()

    await open(desk, token)
    const opened = await desk.get('/report/draft')
    const count = await draftCount()
    await browser.post('/report/draft/discard', {})

    expect(opened.visibleText).toContain('Deeper pothole')
    expect(opened.text).not.toContain('/report/draft/pictures/')
    expect(count).toBe(1)
    expect(await draftCount()).toBe(0)
    expect((await desk.get('/report/draft')).status).toBe(404)
    expect((await open(visitor(), token)).status).toBe(422)
    expect(await findOrphanedKeys(app.db, [full_key])).toEqual([full_key])
  })

  it('stays open in its browser for another day and on the server for seven', async () => {
    const browser = visitor()
    await report(browser)
    await app.db.prisma.reportDraft.updateMany({ data: { expires_at: new Date(Date.now() + 60_000) } })

    const sent = await change(browser)

    expect(sent.headers['set-cookie']).toMatch(/^fixpoint_draft=.*Max-Age=86400;.*HttpOnly.*SameSite=Strict/)
    expect((await browser.get('/report/draft')).visibleText).toContain('Deeper pothole')
    const [draft] = await app.db.prisma.reportDraft.findMany()
    expect(Number(draft?.expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  })

  it('is no new draft for the limit of client addresses, but has one of its own', async () => {
    const browser = visitor('198.51.100.9')
    for (let n = 0; n < 5; n++) await reportAt(browser, GREEN.lat + n / 10_000)
    const page = Promise.resolve(await browser.get(`/report?lat=${GREEN.lat + 4 / 10_000}&lng=${GREEN.lng}&type=other`))

    const statuses = []
    await countTimes(app.services.draftChanges, 898, '198.51.100.9')
    for (let n = 0; n < 3; n++)
      statuses.push((await change(browser, { lat: String(GREEN.lat + 4 / 10_000), form_key: `change-${n}` }, page)).status)

    expect(statuses).toEqual([303, 303, 429])
    expect((await change(browser, { form_key: 'last' }, page)).text).toMatch(/name="draft_id" value="\d+"/)
  })
})
