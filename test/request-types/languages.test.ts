import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'

import { importInto, organization, question } from '../imports/organization-values.ts'
import { GREEN } from '../helpers/factories.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const file = [
  organization({
    name: 'Public Works',
    translations: { es: { name: 'Obras Públicas' }, fr: { name: 'Travaux publics' } },
    request_types: [
      {
        title: 'Pothole',
        translations: { es: { title: 'Bache' }, fr: { title: 'Nid-de-poule' } },
        questions: [
          question('How wide?', {
            ...{
              question_type: 'multivaluelist',
              select_values: [
                { key: 'a', name: 'Plate' },
                { key: 'b', name: 'Wider' },
              ],
            },
            translations: { es: { question: '¿Qué ancho?', select_values: { a: 'Plato', b: 'Más' } } },
          }),
          question('Is it deep?', { question_type: 'boolean', translations: { es: { question: '¿Es hondo?' } } }),
        ],
      },
    ],
  }),
]

/** Each `Accept-Language` selects these: the language, title, organisation, first question, its choices, and `other`. */
const cases = [
  ['en', 'en', 'Pothole', 'Public Works', 'How wide?', 'Plate, Wider', 'Yes', 'Other'],
  ['es-MX, en;q=0.5', 'es', 'Bache', 'Obras Públicas', '¿Qué ancho?', 'Plato, Más', 'Sí', 'Otro'],
  ['fr', 'fr', 'Nid-de-poule', 'Travaux publics', 'How wide?', 'Plate, Wider', 'Oui', 'Autre'],
  ['de', 'en', 'Pothole', 'Public Works', 'How wide?', 'Plate, Wider', 'Yes', 'Other'],
  [undefined, 'en', 'Pothole', 'Public Works', 'How wide?', 'Plate, Wider', 'Yes', 'Other'],
] as const

const get = async (path: string, accepted: string | undefined, more: Record<string, string> = {}) =>
  app.as.anonymous.get(path, { ...(accepted === undefined ? {} : { 'accept-language': accepted }), ...more })

async function reportPothole(accepted: string): Promise<number> {
  const [deep, wide] = await app.db.prisma.requestTypeQuestion.findMany({ orderBy: { id: 'desc' }, select: { id: true } })
  const { body } = await app.as.user(await app.create.user()).send('POST', '/api/v2/issues', {
    headers: { 'accept-language': accepted },
    body: {
      ...{ address: '1 Elm St', ...GREEN, request_type_id: (await app.db.prisma.requestType.findFirstOrThrow()).id },
      answers: { [String(wide?.id)]: ['a', 'b'], [String(deep?.id)]: true },
    },
  })
  return (body as { id: number }).id
}

describe('Accept-Language', () => {
  beforeEach(async () => {
    await importInto(app.db)(file)
  })

  it.each(cases)(
    '%s selects %s for the form, a type, lists and an issue',
    async (accepted, language, title, name, asked, chosen, yes, other) => {
      const id = await reportPothole('en')
      const typeId = (await app.db.prisma.requestType.findFirstOrThrow()).id

      const form = await get(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`, accepted)
      const type = await get(`/request_types/${typeId}`, accepted)
      const fallback = await get('/request_types/other', accepted)
      const list = await get('/issues?details=true', accepted)
      const near = await get(`/issues/duplicates?lat=${GREEN.lat}&lng=${GREEN.lng}`, accepted)
      const issue = await get(`/issues/${id}`, accepted)

      const request_type = { title, organization: name }
      const questions = [{ question: asked, answer: chosen }, { answer: yes }]
      expect(form.body).toMatchObject({ request_types: [request_type, { title: other }] })
      expect(type.body).toMatchObject({
        ...request_type,
        questions: [{ question: asked, select_values: [{ key: 'a', name: chosen.split(', ')[0] }, { key: 'b' }] }, {}],
      })
      expect(fallback.body).toMatchObject({ title: other })
      expect(list.body).toMatchObject({ issues: [{ request_type, questions }] })
      expect(near.body).toMatchObject({ issues: [{ request_type }] })
      expect(issue.body).toMatchObject({ request_type, questions })
      const languages = [form, type, fallback, list, near, issue].map(({ headers }) => headers['content-language'])
      expect(languages).toEqual(languages.map(() => language))
    },
  )

  it.each([
    ['es', 'Bache'],
    ['fr-CA', 'Nid-de-poule'],
    ['de', 'Pothole'],
  ])('%s gives a report without a summary the title %s', async (accepted, summary) => {
    const id = await reportPothole(accepted)

    expect((await get(`/issues/${id}`, undefined)).body).toMatchObject({ summary })
  })

  it('is not answered from the page, or by the ETag, of another language', async () => {
    const id = await reportPothole('en')
    const paths = ['/issues', '/issues?details=true', `/issues/${id}`]
    const english = await Promise.all(paths.map((path) => get(path, 'en')))

    const again = await Promise.all(
      paths.map((path, n) => get(path, 'en', { 'if-none-match': String(english[n]?.headers['etag']) })),
    )
    const spanish = await Promise.all(
      paths.map((path, n) => get(path, 'es', { 'if-none-match': String(english[n]?.headers['etag']) })),
    )

    expect(again.map(({ status }) => status)).toEqual([304, 304, 304])
    expect(
      spanish.map(({ status, text }) => [status, text.includes('"title":"Bache"'), text.includes('"title":"Pothole"')]),
    ).toEqual(paths.map(() => [200, true, false]))
    expect(spanish.map(({ headers }) => headers['vary'])).toEqual(paths.map(() => 'Authorization, Cookie, Accept, Accept-Language'))
  })

  it('shows a changed translation at once, in kept pages too, and the words that were answered if the question has others now', async () => {
    const id = await reportPothole('en')
    const paths = ['/issues?details=true', `/issues/${id}`]
    await Promise.all(paths.map((path) => get(path, 'es')))

    await app.db.prisma.requestType.updateMany({ data: { translations: { es: { title: 'Hoyo' } } } })
    await app.db.prisma.organization.updateMany({ data: { translations: { es: { name: 'Calles' } } } })
    await app.db.prisma.requestTypeQuestion.updateMany({
      data: { translations: { es: { question: '¿Ancho?', select_values: { a: 'Plato', b: 'Más' } } } },
    })
    const changed = await Promise.all(paths.map((path) => get(path, 'es')))
    await app.db.prisma.requestTypeQuestion.updateMany({ where: { question: 'How wide?' }, data: { question: 'How wide is it?' } })
    const renamed = await Promise.all(paths.map((path) => get(path, 'es')))

    expect(changed.map(({ text }) => ['"Hoyo"', '"Calles"', '"¿Ancho?"'].every((word) => text.includes(word)))).toEqual([
      true,
      true,
    ])
    expect(renamed.map(({ text }) => text.includes('{"question":"How wide?","answer":"Plate, Wider"}'))).toEqual([true, true])
  })

  it('selects the language of a held report for its moderator', async () => {
    const { id: organization } = await app.db.prisma.organization.update({
      where: { name: 'Public Works' },
      data: { hold_everything: true },
      select: { id: true },
    })
    const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    await reportPothole('en')

    const { body } = await app.as.user(moderator).get('/moderation', { 'accept-language': 'es' })

    const subject = {
      request_type: { title: 'Bache' },
      questions: [{ question: '¿Qué ancho?', answer: 'Plato, Más' }, { answer: 'Sí' }],
    }
    expect(body).toMatchObject({ items: [{ subject }] })
  })

  it('selects the language of Open311 services and definitions, of an organisation too', async () => {
    const { id, organization_id } = await app.db.prisma.requestType.findFirstOrThrow()
    const root = `/open311/v2/${organization_id}`
    const spanish = { headers: { 'accept-language': 'es' } }

    const services = await app.as.anonymous.send('GET', `${root}/services.json`, spanish)
    const definition = await app.as.anonymous.send('GET', `${root}/services/${id}.json`, spanish)

    expect(services.body).toMatchObject([
      { service_name: 'Bache', description: expect.stringContaining('Obras Públicas') as unknown },
    ])
    expect(definition.body).toMatchObject({
      attributes: [
        {
          description: '¿Qué ancho?',
          values: [
            { key: 'a', name: 'Plato' },
            { key: 'b', name: 'Más' },
          ],
        },
        {},
      ],
    })
  })

  it('does not matter in formats of files and feeds, which have the words of the type itself', async () => {
    await reportPothole('fr')
    const types = ['application/geo+json', 'text/csv', 'application/atom+xml']

    const pages = await Promise.all(types.map((accept) => get('/issues', 'es', { accept })))

    expect(pages.map(({ text }) => [text.includes('Pothole'), text.includes('Bache')])).toEqual(types.map(() => [true, false]))
  })

  it('always gives each text in the wanted language or its own, whatever is translated and was read before', async () => {
    const languages = ['en', 'es', 'fr'] as const
    await reportPothole('en')
    const step = fc.record({
      own: fc.constantFrom(...languages),
      translated: fc.subarray([...languages]),
      reads: fc.array(fc.constantFrom(...languages), { minLength: 1, maxLength: 4 }),
    })

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        for (const [n, { own, translated, reads }] of steps.entries()) {
          const others = translated.filter((language) => language !== own)
          const translations = Object.fromEntries(others.map((language) => [language, { title: `${n} in ${language}` }]))
          await app.db.prisma.requestType.updateMany({ data: { title: `${n} in ${own}`, language: own, translations } })
          for (const language of reads) {
            const { body } = await get('/issues', language)
            const shown = others.includes(language) ? language : own
            expect(body).toMatchObject({ issues: [{ request_type: { title: `${n} in ${shown}` } }] })
          }
        }
      }),
      runs(10),
    )
  })
})
