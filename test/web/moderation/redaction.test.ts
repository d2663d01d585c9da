import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createBrowser, formKeyIn } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createImage } from '../../media/stored-images.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

const app = useApp()
const { moderator, flagged } = createModerationScenario(app)

const pathOf = (key: string) => `/moderation/pictures/${key.slice(key.lastIndexOf('/') + 1)}`
const box = { 'boxes[1][x]': '10', 'boxes[1][y]': '20.5', 'boxes[1][width]': '30', 'boxes[1][height]': '40' }
const blank = { 'boxes[2][x]': '', 'boxes[2][y]': '', 'boxes[2][width]': '', 'boxes[2][height]': '' }
const fullKeyOf = async (id: number) =>
  (await queryRows<{ full_key: string }>(app.db, sql`SELECT m.full_key FROM media m WHERE m.id = ${id}`))[0]?.full_key ?? ''

describe('redaction of a picture', () => {
  it('is linked for moderators from every picture of the issue page and the moderation page', async () => {
    const issue_id = await app.create.issue()
    const comment_id = await app.create.comment({ on: issue_id })
    const keys = [
      (await createImage(app, { issue_id })).key,
      (await createImage(app, { issue_id })).key,
      (await createImage(app, { issue_id, comment_id })).key,
    ]
    await flagged('issue', issue_id, { summary: 'Bench' })
    const [mia, ada] = [
      await createLoggedInBrowser(app, await moderator()),
      await createLoggedInBrowser(app, await app.create.user()),
    ]

    const [page, item] = [await mia.get(`/issues/${issue_id}`), await mia.get('/moderation/1')]

    for (const key of keys) expect(page.text).toContain(`href="${pathOf(key)}?issue=${issue_id}"`)
    for (const key of keys.slice(0, 2)) expect(item.text).toContain(`href="${pathOf(key)}?item=1"`)
    for (const other of [ada, createBrowser(app.fastify)])
      expect((await other.get(`/issues/${issue_id}`)).text).not.toContain('/moderation/pictures/')
  })

  it('shows the picture and number fields, and a script from this service', async () => {
    const { key } = await createImage(app, { issue_id: await app.create.issue() })
    const mia = await createLoggedInBrowser(app, await moderator())

    const page = await mia.get(pathOf(key))
    const spanish = await mia.get(pathOf(key), { 'accept-language': 'es' })

    expect(page.status).toBe(200)
    expect(page.text).toContain(`<img src="/files/${key}" width="30" height="20"`)
    expect(page.text.match(/<input type="number"/g)).toHaveLength(40)
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    expect(page.headers['cache-control']).toBe('private, no-store')
    expect(page.text).not.toMatch(/<script(?! type="module" src="\/files\/redact\.js\?v=)|style="|onclick/)
    expect((await mia.get('/files/redact.js')).status).toBe(200)
    expect(spanish.text).toContain('<html lang="es">')
    expect(spanish.visibleText).toContain('Tapar partes de una imagen')
  })

  it('shows the rows that have a box and one empty row, and the others in a section that opens', async () => {
    const { key } = await createImage(app, { issue_id: await app.create.issue() })
    const mia = await createLoggedInBrowser(app, await moderator())

    const first = await mia.get(pathOf(key))
    const again = await mia.post(pathOf(key), { 'boxes[3][x]': '10', 'boxes[1][y]': '120' })

    const rowsBefore = (page: string) => [...(page.split('<details data-more-boxes>')[0] ?? '').matchAll(/data-box="(\d+)"/g)]
    expect(rowsBefore(first.text).map(([, row]) => row)).toEqual(['1'])
    expect(rowsBefore(again.text).map(([, row]) => row)).toEqual(['1', '3', '2'])
    for (const { text } of [first, again]) expect(text.match(/data-box="/g)).toHaveLength(10)
  })

  it('replaces the picture once for a form that is sent twice, and the history says so', async () => {
    const issue_id = await app.create.issue()
    const { id, key } = await createImage(app, { issue_id })
    const mia = await createLoggedInBrowser(app, await moderator('Mia Wong'))
    const form_key = formKeyIn(await mia.get(pathOf(key)))

    const sent = await mia.post(pathOf(key), { form_key, ...box, ...blank })
    const again = await mia.post(pathOf(key), { form_key, ...box, ...blank })

    expect([sent, again].map(({ status, headers }) => [status, headers['location']])).toEqual(
      Array(2).fill([303, `/issues/${issue_id}`]),
    )
    const newKey = await fullKeyOf(id)
    expect(newKey).not.toBe(key)
    const [own, others] = [await mia.get(`/issues/${issue_id}`), await createBrowser(app.fastify).get(`/issues/${issue_id}`)]
    expect(own.visibleText).toContain('Mia Wong redacted a picture')
    expect(others.visibleText).toContain('A moderator redacted a picture')
    expect(others.visibleText).not.toContain('Mia Wong')
    expect(others.text).toContain(`/files/${newKey}`)
    expect((await mia.get(`/files/${key}`)).status).toBe(404)
    expect((await mia.get(pathOf(key))).status).toBe(404)
    expect(others.visibleText.match(/redacted a picture/g)).toHaveLength(1)
  })

  it('says that the picture is gone if another moderator has redacted it, with a link to the issue or the review', async () => {
    const issue_id = await app.create.issue()
    const { key } = await createImage(app, { issue_id })
    const [mia, nia] = [
      await createLoggedInBrowser(app, await moderator()),
      await createLoggedInBrowser(app, await moderator('Nia')),
    ]
    const path = `${pathOf(key)}?issue=${issue_id}`
    const [first, second] = [await mia.get(path), await nia.get(path)]

    const sent = await mia.post(path, { form_key: formKeyIn(first), ...box })
    const late = await nia.post(path, { form_key: formKeyIn(second), ...box })
    const back = await mia.get(path)
    const fromReview = await mia.get(`${pathOf(key)}?item=7`, { 'accept-language': 'fr' })

    expect(first.text).toContain(`action="${path}"`)
    expect([sent.status, sent.headers['location']]).toEqual([303, `/issues/${issue_id}`])
    for (const page of [late, back]) {
      expect([page.status, page.headers['cache-control']]).toEqual([404, 'private, no-store'])
      expect(page.visibleText).toContain('This picture is no longer there')
      expect(page.text).toContain(`<a class="button primary" href="/issues/${issue_id}">Look at the issue</a>`)
    }
    expect(fromReview.visibleText).toContain('Cette image n’est plus là')
    expect(fromReview.text).toContain('href="/moderation/7">Revenir à la relecture</a>')
  })

  it('returns to the moderation item', async () => {
    const issue_id = await app.create.issue()
    const { key } = await createImage(app, { issue_id })
    await flagged('issue', issue_id, { summary: 'Bench' })
    const mia = await createLoggedInBrowser(app, await moderator())
    const page = await mia.get(`${pathOf(key)}?item=1`)

    const sent = await mia.post(`${pathOf(key)}?item=1`, { form_key: formKeyIn(page), ...box })

    expect(page.text).toContain(`action="${pathOf(key)}?item=1"`)
    expect([sent.status, sent.headers['location']]).toEqual([303, '/moderation/1'])
  })

  it.each([
    [{}, 'Draw at least one box.'],
    [blank, 'Draw at least one box.'],
    [{ ...box, 'boxes[1][width]': '0' }, 'must lie in the picture'],
    [{ ...box, 'boxes[1][x]': '101' }, 'must lie in the picture'],
    [{ ...box, 'boxes[1][y]': '' }, 'must lie in the picture'],
    [{ ...box, 'boxes[1][y]': '1e1' }, 'must lie in the picture'],
    [{ ...box, 'boxes[2][x]': '-1' }, 'must lie in the picture'],
  ])('returns 422 with the form for %o, and changes nothing', async (fields, error) => {
    const { id, key } = await createImage(app, { issue_id: await app.create.issue() })
    const mia = await createLoggedInBrowser(app, await moderator())
    const form_key = formKeyIn(await mia.get(pathOf(key)))

    const sent = await mia.post(pathOf(key), { form_key, ...(fields as Record<string, string>) })

    expect(sent.status).toBe(422)
    expect(sent.visibleText).toContain(error)
    if ('boxes[1][x]' in fields) expect(sent.text).toContain(`value="${fields['boxes[1][x]']}"`)
    expect(await fullKeyOf(id)).toBe(key)
  })

  it('is for moderators, not for the author, and not for private answers of other organisations', async () => {
    const organization = await app.create.organization()
    const [own, other] = [await app.create.user({ memberOf: [{ organization, role: 'moderator' }] }), await moderator()]
    const request_type = await app.create.requestType({ organization })
    const issue_id = await app.create.issue({ reporter: own, request_type })
    const privateKey = (await createImage(app, { issue_id, is_answer: true, answer_kept_private: true })).key
    const { id, key } = await createImage(app, { issue_id })
    const [author, colleague, resident, anonymous] = [
      await createLoggedInBrowser(app, own),
      await createLoggedInBrowser(app, other),
      await createLoggedInBrowser(app, await app.create.user()),
      createBrowser(app.fastify),
    ]

    expect([(await author.get(pathOf(key))).status, (await author.post(pathOf(key), box)).status]).toEqual([403, 403])
    expect([(await resident.get(pathOf(key))).status, (await resident.post(pathOf(key), box)).status]).toEqual([403, 403])
    expect((await anonymous.post(pathOf(key), box)).headers['location']).toContain('/login')
    expect((await colleague.get(pathOf(privateKey))).status).toBe(404)
    expect((await colleague.post(pathOf(privateKey), box)).status).toBe(404)
    expect((await colleague.get(pathOf(`pictures/00/${'0'.repeat(40)}.jpg`))).status).toBe(404)
    expect((await colleague.get('/moderation/pictures/x')).status).toBe(404)
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await colleague.post(pathOf(key), box, foreign)).status).toBe(403)
    expect(await fullKeyOf(id)).toBe(key)
  })
})
