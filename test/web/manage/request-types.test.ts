import { beforeEach, describe, expect, it } from 'vitest'

import type { Browser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { formFields } from '../../helpers/form-fields.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let [roads, path] = [0, '']
let manager: TestUser
let browser: Browser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
  path = `/organizations/${roads}/manage/request-types`
  browser = await createLoggedInBrowser(app, manager)
})

const save = async (of: string, fields: Record<string, string>) =>
  browser.post(of, { ...formFields((await browser.get(of)).text), ...fields })
const listTypes = async () =>
  ((await app.as.user(manager).get(`/organizations/${roads}/request_types`)).body as { request_types: { id: number }[] })
    .request_types
const places = async () => (await browser.get(path)).visibleText

/** Creates a bench whose form asks for a summary, a description and pictures. */
async function createBench(): Promise<number> {
  await save(`${path}/new`, { title: 'Bench', 'translations.es.title': 'Banco', category: 'park' })
  return (await listTypes())[0]?.id ?? 0
}

describe('the pages of request types', () => {
  it('add a type with the usual questions, change and retire it', async () => {
    const id = await createBench()
    const added = await listTypes()
    const changed = await save(`${path}/${id}`, { title: 'Park bench' })
    const { active: _, ...others } = formFields((await browser.get(`${path}/${id}`)).text)
    await browser.post(`${path}/${id}`, others)

    expect(added).toMatchObject([
      {
        ...{ title: 'Bench', category: 'park', translations: { es: { title: 'Banco' } }, active: true },
        questions: [{ primary_key: 'summary' }, { primary_key: 'description' }, { primary_key: 'issue_image' }],
      },
    ])
    expect(changed.headers['location']).toBe(`${path}?done=saved`)
    expect(await places()).toContain('Park bench (retired)')
    expect((await browser.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}`)).visibleText).not.toContain('Park bench')
  })

  it('add, move and retire questions, and an old issue keeps the text that was asked', async () => {
    const id = await createBench()
    const questions = `${path}/${id}/questions`
    const width = { question: 'How wide?', question_type: 'select', select_values: 'Narrow\nw | Wide' }
    const spanish = { 'translations.es.question': '¿Qué ancho?', 'translations.es.select_values': 'Estrecho\nAncho' }
    await save(`${questions}/new`, { ...width, ...spanish, response_required: 'true' })
    const report = { lat: GREEN.lat, lng: GREEN.lng, address: '250 Church St', request_type_id: id }
    const asked = (await listTypes())[0] as unknown as { questions: { id: number }[] }
    const answers = { summary: 'Broken bench', [String(asked.questions[3]?.id)]: 'w' }
    const issue = await app.as.user(manager).send('POST', '/api/v2/issues', { body: { ...report, answers } })

    const moved = await browser.post(`${questions}/4/up`)
    const renamed = await save(`${questions}/3`, { question: 'How wide is it?' })
    const after = await listTypes()
    const removed = await browser.post(`${questions}/3/remove`)

    expect([moved, renamed, removed].map(({ headers }) => headers['location'])).toEqual(
      ['moved', 'saved', 'removed'].map((done) => `${path}/${id}?done=${done}`),
    )
    expect(after).toMatchObject([
      {
        questions: [
          { primary_key: 'summary' },
          { primary_key: 'description' },
          {
            question: 'How wide is it?',
            select_values: [
              { key: 'Narrow', name: 'Narrow' },
              { key: 'w', name: 'Wide' },
            ],
            translations: { es: { question: '¿Qué ancho?', select_values: { Narrow: 'Estrecho', w: 'Ancho' } } },
          },
          { primary_key: 'issue_image' },
          { question: 'How wide?', active: false },
        ],
      },
    ])
    expect(issue.status).toBe(201)
    const { id: number } = issue.body as { id: number }
    expect((await browser.get(`/issues/${number}`)).visibleText).toContain('How wide? Wide')
    expect((await browser.get(`${path}/${id}`)).visibleText).not.toContain('How wide')
  })

  it('show the report form for the values of the form before they are saved', async () => {
    const id = await createBench()

    const page = await browser.post(`${path}/${id}/questions/new/preview`, {
      ...{ version: '', question: 'Which slat?', question_type: 'number', response_required: 'true' },
    })

    const [, preview = ''] = page.text.split('id="preview"')
    expect(page.status).toBe(200)
    expect(preview).toContain('<label for="field-answers-3-">Which slat?</label>')
    expect(preview).toContain('type="number"')
    expect((await listTypes())[0]).toMatchObject({ questions: { length: 3 } })
  })

  it('name the field of each error', async () => {
    const id = await createBench()
    await app.create.requestType({ organization: roads, title: 'Tree' })
    const wide = { question: 'How wide?', question_type: 'select', select_values: 'Narrow\nWide' }

    const pages = [
      await save(`${path}/new`, { title: ' ', category: 'park' }),
      await save(`${path}/${id}`, { title: 'Tree' }),
      await save(`${path}/${id}/questions/new`, { ...wide, select_values: '' }),
      await save(`${path}/${id}/questions/new`, {
        ...wide,
        'translations.es.question': '¿Ancho?',
        'translations.es.select_values': 'No',
      }),
    ]

    expect(pages.map(({ status, text }) => `${status} ${/id="(field-[^"]+)-error"/.exec(text)?.[1]}`)).toEqual([
      '422 field-title',
      '422 field-title',
      '422 field-select_values',
      '422 field-translations-es-select_values',
    ])
  })
})

describe('the type for other reports', () => {
  it('is a setting of owners on the page, and a type that can only be retired in the API', async () => {
    const owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
    browser = await createLoggedInBrowser(app, owner)
    const settings = `/organizations/${roads}/manage/settings`

    await save(settings, { takes_other: 'true' })
    const [other] = await listTypes()
    const put = (body: object) =>
      app.as
        .user(owner)
        .send('PUT', `/api/v2/organizations/${roads}/request_types/${other?.id}`, { body, headers: { 'if-match': '*' } })
    const refused = await put({ title: 'Anything' })
    const retired = await put({ active: false })
    const again = await app.as
      .user(owner)
      .send('POST', `/api/v2/organizations/${roads}/request_types`, { body: { is_other: true } })

    expect(other).toMatchObject({ is_other: true, active: true })
    expect(refused.status).toBe(422)
    expect(retired.body).toMatchObject({ active: false, is_other: false })
    expect(again.body).toMatchObject({ id: other?.id, active: true, is_other: true })
  })
})
