import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { createReader } from './reader.ts'
import { createWriter, hole, picture } from './writer.ts'

const app = useApp()
const { ask } = createReader(app)
const { post, postMultipart } = createWriter(() => app.as.anonymous)
const definitionOf = async (type: number) =>
  ((await ask(`/services/${type}.json`)).body as { attributes: Record<string, unknown>[] }).attributes

describe('the question `offensive`', () => {
  const createType = (response_required: boolean) =>
    app.create.requestType({
      questions: [{ built_in: 'offensive', question: 'Is it offensive?', question_type: 'boolean', response_required }],
    })

  it('is an attribute of the service, whose code is the same in reports and extended_attributes', async () => {
    const ada = await app.create.user()
    const type = await createType(true)
    const fields = { ...hole, service_code: String(type) }

    const without = await post('/requests.json', fields, { by: ada })
    const { status } = await post('/requests.json', { ...fields, 'attribute[offensive]': 'false' }, { by: ada })

    expect(without.body).toEqual([{ code: 400, description: 'attribute[offensive]: must not be blank' }])
    expect(status).toBe(200)
    expect(((await ask('/services.json')).body as object[])[0]).toMatchObject({ service_code: String(type), metadata: true })
    expect(await definitionOf(type)).toMatchObject([{ code: 'offensive', datatype: 'singlevaluelist', required: true }])
    expect((await ask('/requests.json?extensions=true')).body).toMatchObject([
      { extended_attributes: { attributes: [{ code: 'offensive', name: 'Is it offensive?', value: 'No', keys: ['false'] }] } },
    ])
  })

  it('holds a report that its author marks as offensive, as in the API', async () => {
    const ada = await app.create.user()
    const type = await createType(false)

    const { status } = await post(
      '/requests.json',
      { ...hole, service_code: String(type), 'attribute[offensive]': 'true' },
      { by: ada },
    )

    expect(status).toBe(201)
    expect(await app.db.prisma.moderationItem.findMany({ select: { reasons: true } })).toEqual([
      { reasons: ['said-to-be-offensive'] },
    ])
  })
})

describe('the questions for a summary, a description and a picture', () => {
  it('are no attributes: `description` and `media` answer them, also if they are required', async () => {
    const ada = await app.create.user()
    const required = { response_required: true }
    const type = await app.create.requestType({
      questions: [
        { built_in: 'summary', question: 'What?', question_type: 'text', ...required },
        { built_in: 'description', question: 'More?', question_type: 'textarea', ...required },
        { built_in: 'issue_image', question: 'A picture?', question_type: 'file', ...required },
      ],
    })
    const fields = { ...hole, service_code: String(type) }

    const without = await post('/requests.json', fields, { by: ada })
    const { status } = await postMultipart('/requests.json', [...Object.entries(fields), ['media', picture()]], { by: ada })

    expect(await definitionOf(type)).toEqual([])
    expect([without.body, status]).toEqual([[{ code: 400, description: 'media: must not be blank' }], 200])
    expect((await ask('/requests.json?extensions=true')).body).toMatchObject([
      { description: 'Deep hole', extended_attributes: { attributes: [] } },
    ])
  })
})
