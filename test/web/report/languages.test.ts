import { beforeEach, describe, expect, it } from 'vitest'

import { importInto, organization, question } from '../../imports/organization-values.ts'
import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createDraftMails } from './draft-mails.ts'
import { createDrafts } from './drafts.ts'

const app = useApp()

const widths = { question_type: 'select', select_values: ['Plate', 'Wider'] }
const file = [
  organization({
    name: 'Public Works',
    translations: { es: { name: 'Obras Públicas' } },
    request_types: [
      {
        title: 'Pothole',
        translations: { es: { title: 'Bache' } },
        questions: [
          question('How wide?', {
            ...widths,
            translations: { es: { question: '¿Qué ancho?', select_values: { Plate: 'Plato', Wider: 'Más' } } },
          }),
          question('How deep?', widths),
        ],
      },
      { title: 'Graffiti' },
    ],
  }),
]

describe('pages in a language that not every text has', () => {
  beforeEach(async () => {
    await importInto(app.db)(file)
  })

  const page = async (path: string, language: string) => {
    const { status, text } = await app.as.anonymous.send('GET', path, { headers: { 'accept-language': language } })
    expect(status).toBe(200)
    return text
  }
  const typeId = async (title: string) => (await app.db.prisma.requestType.findFirstOrThrow({ where: { title } })).id
  const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`

  it('mark the titles of the type step that are in another one (WCAG 3.1.2)', async () => {
    const spanish = await page(`/report?${at}`, 'es')
    const french = await page(`/report?${at}`, 'fr')

    expect(spanish).toMatch(/<a [^>]*type=\d+"><img [^>]*> Bache</)
    expect(spanish).toMatch(/<a [^>]*lang="en"><img [^>]*> Graffiti</)
    expect(spanish).toContain('Obras Públicas')
    expect(spanish).toMatch(/type=other"><img [^>]*> Otro/)
    expect(french).toMatch(/<a [^>]*lang="en"><img [^>]*> Pothole</)
    expect(await page(`/report?${at}`, 'en')).not.toMatch(/<a [^>]*lang=[^>]*><img [^>]*> Pothole</)
  })

  it('mark the name of the organisation in each step and on the pages of places', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const id = await typeId('Pothole')
    const paths = [`/places/new-haven/report`, `/report?${at}`, `/report?${at}&words=pothole`, `/report?${at}&type=${id}`]

    const french = await Promise.all(paths.map((path) => page(path, 'fr')))
    const spanish = await Promise.all(paths.map((path) => page(path, 'es')))

    expect(french.map((text) => /lang="en">Public Works</.test(text) && !/[^>]Public Works/.test(text))).toEqual(
      paths.map(() => true),
    )
    expect(spanish.map((text) => text.includes('Obras Públicas'))).toEqual(paths.map(() => true))
    expect(spanish.join()).not.toMatch(/lang="\w+">Obras|Public Works/)
  })

  it('mark questions and choices of the form, and the title in the heading', async () => {
    const id = await typeId('Pothole')
    const spanish = await page(`/report?${at}&type=${id}`, 'es')
    const french = await page(`/report?${at}&type=${id}`, 'fr')

    expect(spanish).toContain('<h1>Reporte: Bache</h1>')
    expect(spanish).toContain('<option value="Plate">Plato</option>')
    expect(spanish).toContain('<span lang="en">How deep?</span>')
    expect(spanish).toContain('<option value="Plate" lang="en">Plate</option>')
    expect(french).toContain('<h1>Signalement\u00a0: <span lang="en">Pothole</span></h1>')
    expect(french).toContain('<span lang="en">How wide?</span>')
  })

  it('find a type by words in any language', async () => {
    expect(await page(`/report?${at}&words=bache`, 'fr')).toMatch(/class="found"[\s\S]*Pothole/)
  })

  it('mark the type and answers of an issue, and kinds of the filter of the map', async () => {
    const [deep, wide] = await app.db.prisma.requestTypeQuestion.findMany({ orderBy: { id: 'desc' } })
    const issue = await app.as.user(await app.create.user()).send('POST', '/api/v2/issues', {
      body: {
        ...{ address: '1 Elm St', ...GREEN, request_type_id: await typeId('Pothole') },
        answers: { [String(wide?.id)]: 'Plate', [String(deep?.id)]: 'Wider' },
      },
    })
    const path = `/issues/${(issue.body as { id: number }).id}`

    const spanish = await page(path, 'es')
    const french = await page(path, 'fr')
    const map = await page('/', 'es')

    expect(spanish).toContain('<dd>Bache</dd>')
    expect(spanish).toContain('<dt>¿Qué ancho?</dt><dd>Plato</dd>')
    expect(spanish).toContain('<dt lang="en">How deep?</dt><dd><span lang="en">Wider</span></dd>')
    expect(french).toContain('<dd><span lang="en">Pothole</span></dd>')
    expect(map).toMatch(/<option value="\d+">Bache</)
    expect(map).toMatch(/<option value="\d+" lang="en">Graffiti</)
  })

  it('decide the language of the draft, of its mail, and of the summary of a report that has none', async () => {
    const { visitor, requestMail, receive } = createDraftMails(app)
    const { report, createAda, logIn } = createDrafts(app)
    const ada = await createAda()
    const phone = visitor()
    phone.jar.set('language', 'es')
    await report(phone, { request_type_id: String(await typeId('Pothole')), 'answers[summary]': '' })

    const draft = await phone.get('/report/draft')
    await requestMail(phone)
    const [mail] = await receive()
    await logIn(phone, ada, '/report/draft?publish=login')

    expect(draft.text).toContain('<h2>Bache</h2>')
    expect(mail?.text).toContain('Bache')
    expect(mail?.text).not.toContain('Pothole')
    expect(await app.db.prisma.issue.findFirst({ select: { summary: true, locale: true } })).toEqual({
      summary: 'Bache',
      locale: 'es',
    })
  })
})
