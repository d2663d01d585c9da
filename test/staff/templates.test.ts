import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads: number
let type: number
let [mia, ella]: TestUser[] = []

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  mia = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
  ella = await app.create.user({ memberOf: [{ organization: roads }] })
})

const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  app.as.user(mia as TestUser).send(method, `/api/v2/organizations/${roads}/templates${path}`, {
    ...(body ? { body, headers: { 'if-match': '*' } } : {}),
  })
const list = async () => (await app.as.user(ella as TestUser).get(`/organizations/${roads}/templates`)).body

describe('templates of an organisation', () => {
  it('are added, changed, retired and deleted by managers, and read by members', async () => {
    const filled = { title: 'Filled', texts: { en: 'We filled it.', fr: 'Rempli.' }, statuses: ['Closed'], outcome: 'fixed' }

    const added = await send('POST', '', { ...filled, request_type_ids: [type], position: 2 })
    const { id } = added.body as { id: number }
    const changed = await send('PUT', `/${id}`, { title: 'Pothole filled', retired: true })

    const stored = { id, ...filled, request_type_ids: [type], position: 2 }
    expect([added.status, added.body]).toEqual([201, { ...stored, retired_at: null }])
    expect(changed.body).toEqual({ ...stored, title: 'Pothole filled', retired_at: expect.any(String) as string })
    expect(await list()).toEqual({ errors: {}, metadata: {}, templates: [changed.body] })
    expect((await send('PUT', `/${id}`, { retired: false })).body).toMatchObject({ retired_at: null })
    expect((await send('DELETE', `/${id}`)).status).toBe(204)
    expect(await list()).toMatchObject({ templates: [] })
  })

  it('return 422 that names the field', async () => {
    const other = await app.create.requestType({ organization: await app.create.organization() })
    const valid = { title: 'Filled', texts: { en: 'We filled it.' } }

    const answers = [
      await send('POST', '', { ...valid, title: ' ' }),
      await send('POST', '', { ...valid, texts: { es: 'Hecho.' } }),
      await send('POST', '', { ...valid, texts: { en: '' } }),
      await send('POST', '', { ...valid, texts: { en: 'Done.', xx: 'Done.' } }),
      await send('POST', '', { ...valid, request_type_ids: [other] }),
      await send('POST', '', { ...valid, statuses: ['Archived'] }),
      await send('POST', '', { ...valid, outcome: 'reported_fixed' }),
      await send('POST', '', {}),
    ]

    expect(answers.map(({ status, body }) => [status, Object.keys(body as object).map((key) => key.split('[')[0])])).toEqual(
      [['title'], ['texts'], ['texts'], ['texts'], ['request_type_ids'], ['statuses'], ['outcome'], ['title', 'texts']].map(
        (fields) => [422, fields],
      ),
    )
  })
})

describe('the form of an issue', () => {
  it('offers templates of its type and next statuses to employees, in the language of the reporter, and fills in the chosen one', async () => {
    const texts = { en: 'We filled it.', es: 'Lo rellenamos.' }
    const { body } = await send('POST', '', {
      title: 'Filled',
      texts,
      statuses: ['Closed'],
      outcome: 'fixed',
      request_type_ids: [type],
    })
    await send('POST', '', {
      title: 'Other type',
      texts,
      request_type_ids: [await app.create.requestType({ organization: roads })],
    })
    await send('POST', '', { title: 'Reopened', texts, statuses: ['Acknowledged'] })
    const { id } = body as { id: number }
    const issue = await app.create.issue({ request_type: type, status: 'Acknowledged', locale: 'es' })
    const closed = await app.create.issue({ request_type: type, status: 'Closed' })
    const browser = await createLoggedInBrowser(app, ella as TestUser)

    const [plain, filled, later] = [
      await browser.get(`/issues/${issue}`),
      await browser.get(`/issues/${issue}?template=${id}`),
      await browser.get(`/issues/${closed}?template=${id}`),
    ]
    const resident = await (await createLoggedInBrowser(app, await app.create.user())).get(`/issues/${issue}?template=${id}`)

    expect(plain.text).toMatch(new RegExp(`<option value="${id}">Filled \\(Closed\\)</option>`))
    expect(plain.text).not.toContain('Other type')
    expect(plain.text).not.toContain('Lo rellenamos.')
    expect(filled.text).toMatch(/<textarea[^>]* name="comment"[^>]* lang="es">\s*Lo rellenamos\.<\/textarea>/)
    expect(filled.text).toContain('<option value="fixed" selected>')
    expect(later.text).toContain('Filled (Closed)')
    expect(resident.text).not.toMatch(/Lo rellenamos|name="template"/)
  })
})
