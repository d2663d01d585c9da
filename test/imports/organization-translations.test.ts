import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Database } from '../../src/database/database.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createTally, emptyReport, importInto, organization, question, requestType } from './organization-values.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const widths = { question_type: 'select', select_values: ['Plate', 'Wider'] }
const inSpanish = { question: '¿Qué ancho?', select_values: { Plate: 'Plato', Wider: 'Más' } }
const works = (translations: object, more: object = {}) =>
  organization({
    translations: { es: { name: 'Obras Públicas' } },
    request_types: [
      { ...requestType('Pothole', question('How wide?', { ...widths, translations })), translations: { es: { title: 'Bache' } } },
    ],
    ...more,
  })
const at = 'organizations[0].request_types[0].questions[0].translations'

describe('translations of an organisation file', () => {
  it('are stored with the language of the texts, and the same file again changes nothing', async () => {
    const file = [works({ es: inSpanish })]
    const top = { language: 'fr', community_request_types: [{ title: 'Idée', translations: { en: { title: 'Idea' } } }] }

    const report = await importInto(database)(file, top)
    const again = await importInto(database)(file, top)

    expect(report).toMatchObject({ organizations: createTally({ new: 1 }), requestTypes: createTally({ new: 2 }) })
    expect(again).toEqual({
      ...emptyReport,
      ...{ organizations: createTally({ unchanged: 1 }), requestTypes: createTally({ unchanged: 2 }) },
      questions: createTally({ unchanged: 1 }),
    })
    const types = await database.prisma.requestType.findMany({ orderBy: { id: 'asc' }, include: { questions: true } })
    expect(types).toMatchObject([
      { language: 'fr', translations: { es: { title: 'Bache' } }, questions: [{ translations: { es: inSpanish } }] },
      { language: 'fr', translations: { en: { title: 'Idea' } } },
    ])
    expect(await database.prisma.organization.findFirst({ select: { language: true, translations: true } })).toEqual({
      language: 'fr',
      translations: { es: { name: 'Obras Públicas' } },
    })
  })

  it('of an organisation remain without the key and are removed by an empty object; those of types are as in the file', async () => {
    await importInto(database)([works({ es: inSpanish }, { language: 'en' })])

    const without = await importInto(database)([
      organization({ request_types: [requestType('Pothole', question('How wide?', widths))] }),
    ])
    const kept = await database.prisma.organization.findFirst({ select: { translations: true } })
    await importInto(database)([organization({ translations: {} })])

    expect(without).toMatchObject({
      organizations: createTally({ unchanged: 1 }),
      requestTypes: createTally({ changed: 1 }),
      questions: createTally({ changed: 1 }),
    })
    expect(kept).toEqual({ translations: { es: { name: 'Obras Públicas' } } })
    expect(await database.prisma.organization.findFirst({ select: { translations: true } })).toEqual({ translations: {} })
  })

  it.each<[string, object, readonly string[]]>([
    ['an unknown language', { de: inSpanish }, [`${at}.de is an unknown language: it must be one of en, es, fr`]],
    [
      'the language of the text',
      { en: inSpanish },
      [`${at}.en is the language of the text itself: translations are in other languages`],
    ],
    ['no object', { es: '¿Qué ancho?' }, [`${at}.es must be an object`]],
    ['an unknown key', { es: { ...inSpanish, hint: 'x' } }, [`${at}.es.hint is an unknown key`]],
    ['no question', { es: { select_values: inSpanish.select_values } }, [`${at}.es.question is missing`]],
    [
      'no choices',
      { es: { question: '¿Qué ancho?' } },
      [`${at}.es.select_values.Plate is missing`, `${at}.es.select_values.Wider is missing`],
    ],
    [
      'other choices',
      { es: { question: '¿Qué ancho?', select_values: { Plate: 'Plato', Narrow: 'Menos' } } },
      [`${at}.es.select_values.Wider is missing`, `${at}.es.select_values.Narrow is no key of the choices`],
    ],
    ['a list', [], [`${at} must be an object`]],
  ])('are rejected with %s', async (_, translations, errors) => {
    const importing = importInto(database)([works(translations)])

    await expect(importing).rejects.toThrow(
      ['Nothing was changed, because city.json has errors:', ...errors.map((error) => `  ${error}`)].join('\n'),
    )
  })

  it.each<[string, object, string]>([
    ['name', { translations: { es: { title: 'Obras' } } }, 'organizations[0].translations.es.title is an unknown key'],
    ['language', { language: 'de' }, 'organizations[0].language must be one of en, es, fr'],
  ])('of an organisation are rejected by their %s', async (_, more, error) => {
    await expect(importInto(database)([works({}, more)])).rejects.toThrow(error)
  })
})
