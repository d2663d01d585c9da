import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest'
import { createBrowser } from '../helpers/browser.ts'
import { resetDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { accountPages } from './languages/account-pages.ts'
import { mailPages } from './languages/mail-pages.ts'
import { apiPages } from './languages/api-pages.ts'
import { createIssuePages, issuePages, openIssuePage, type People } from './languages/issue-pages.ts'
import { findRoute, listPageRoutes } from './languages/page-routes.ts'
import { findForeignTexts, readPageTexts } from './languages/page-texts.ts'
import { createLanguageScenario, type LanguageScenario } from './languages/scenario.ts'

const app = useApp({ keepRows: true })
const languages = ['es', 'fr'] as const
const texts = readPageTexts()

const findEnglish = (page: string, language: (typeof languages)[number], foreignPage = '') =>
  findForeignTexts(page, { texts, language, foreign: 'en', foreignPage })

/** Residents need none of these words: names of formats, headers and parameters. Pages of data and operations may have them. */
const TECHNICAL =
  /\bAPI\b|JSON|\b[Pp]ol[yí]gon|\bmust equal|\b[Pp]ar[aá]m[eè]t(?:er|re|ro)s?\b|Idempotency|\bBearer\b|ISO 8601|\bHTTP\b|multipart|\bETag\b|If-Match|\b(?:lat|lng|[a-z]+_(?:ids?|url|name|lat|lng|types?|token))\b/g
const technicalPages = /^(?:POST )?\/(?:data|ops|embed|organizations\/1\/manage\/(?:area|forwarding))|dead letter|trace/
const findTechnicalWords = (page: string): readonly string[] =>
  page.replaceAll(/<(script|style|textarea|code)\b.*?<\/\1>|<[^>]*>|https?:\S+/gs, ' ').match(TECHNICAL) ?? []

type Inject = (request: { method: string; url: string }) => Promise<{ headers: Record<string, unknown> }>
let inject: MockInstance<Inject>
beforeAll(() => {
  // The last test compares the requests of all tests.
  vi.setConfig({ clearMocks: false })
  inject = vi.spyOn(app.fastify, 'inject')
})
afterAll(() => {
  inject.mockRestore()
  vi.resetConfig()
})

describe('the pages of the map, issues, reports and flags', () => {
  let people: People
  beforeAll(async () => {
    await resetDatabase(app.db)
    people = await createIssuePages(app)
  })

  describe.each(Object.entries(issuePages))('%s', (_name, page) => {
    it.each(languages)('is entirely in the chosen language: %s', async (language) => {
      const english = await openIssuePage(app, people, page, 'en')
      const { status, text } = await openIssuePage(app, people, page, language)

      expect(status).toBe(english.status)
      expect(text).toContain(`<html lang="${language}">`)
      expect(findEnglish(text, language, english.text)).toEqual([])
      expect([...findTechnicalWords(english.text), ...findTechnicalWords(text)]).toEqual([])
    })
  })

  it('are in the best match of Accept-Language unless a language is chosen', async () => {
    const browser = createBrowser(app.fastify)

    const preferred = await browser.get('/issues/1', { 'accept-language': 'fr-CA, en;q=0.5' })
    browser.jar.set('language', 'es')
    const chosen = await browser.get('/issues/1', { 'accept-language': 'fr-CA, en;q=0.5' })

    expect(preferred.text).toContain('<html lang="fr">')
    expect(chosen.text).toContain('<html lang="es">')
    expect(preferred.headers['vary']).toContain('Accept-Language')
  })

  it.each(apiPages)('have no Spanish on the English page %s', async (path) => {
    const browser = createBrowser(app.fastify)
    browser.jar.set('language', 'es')

    const { status, text } = await browser.get(path)

    expect(status).toBe(200)
    expect(text).toContain('<html lang="en">')
    expect(findForeignTexts(text, { texts, language: 'en', foreign: 'es' })).toEqual([])
  })
})

describe('the pages of accounts, places, questions, moderation and operations', () => {
  const englishPages = new Map<string, string>()
  beforeAll(async () => {
    await resetDatabase(app.db)
    const scenario = await createLanguageScenario(app, 'en')
    for (const [name, load] of [...accountPages, ...mailPages]) englishPages.set(name, (await load(scenario)).text)
  })

  describe.each(languages)('in %s', (language) => {
    let scenario: LanguageScenario
    beforeAll(async () => {
      await resetDatabase(app.db)
      scenario = await createLanguageScenario(app, language)
    })

    it.each(accountPages)('are entirely in the chosen language: %s', async (name, load) => {
      const { text } = await load(scenario)

      expect(text).toContain(`<html lang="${language}">`)
      expect(findEnglish(text, language, englishPages.get(name))).toEqual([])
      const pages = technicalPages.test(name) ? [] : [text, englishPages.get(name) ?? '']
      expect(pages.flatMap(findTechnicalWords)).toEqual([])
    })

    it.each(mailPages)('have the language of the account: %s', async (name, load) => {
      const { status, text } = await load(scenario)

      expect([200, 422]).toContain(status)
      expect(text).toContain(`<html lang="${language}">`)
      expect(findEnglish(text, language, englishPages.get(name))).toEqual([])
    })

    it('contain no English after a password was reset', async () => {
      const fields = { token: await scenario.mailToken('reset_password'), password: 'battery staple' }
      const { anonymous } = scenario.browsers

      const answers = [
        await anonymous.get(`/password/reset?token=${fields.token}`),
        await anonymous.post('/password/reset', { ...fields, password: 'x' }),
        await anonymous.post('/password/reset', fields),
      ]

      expect(answers.map(({ status }) => status)).toEqual([200, 422, 200])
      expect(answers.flatMap(({ text }) => findEnglish(text, language))).toEqual([])
    })

    it('contain no English while mails are stored', async () => {
      const env = { DATA_DIR: createTemporaryFolder(), PUBLIC_URL: 'http://127.0.0.1:3000' }
      const { services, anonymous } = await appOn(app.db, env)
      const load = (path: string) =>
        anonymous.send('GET', path, { headers: { host: 'localhost:3000', accept: 'text/html', 'accept-language': language } })

      const empty = await load('/dev/mails')
      await services.mailer.send({ id: 'x', to: 'x@example.org', subject: 'Xyz', text: 'Zyx', html: '<p>Zyx</p>' })
      const list = await load('/dev/mails')
      const mail = await load(/href="(\/dev\/mails\/[^"]+)"/.exec(list.text)?.[1] ?? '')

      expect([empty, list, mail].map(({ status }) => status)).toEqual([200, 200, 200])
      expect([empty, list, mail].flatMap(({ text }) => findEnglish(text, language))).toEqual([])
    })

    it('have the chosen language before that of the account, and Accept-Language after both', async () => {
      const other = language === 'es' ? 'fr' : 'es'
      const browser = createBrowser(app.fastify)
      const path = `/emails/confirm?token=${await scenario.mailToken('confirm_email')}`

      const header = [
        await browser.get('/login', { 'accept-language': other }),
        await browser.get(path, { 'accept-language': other }),
      ]
      browser.jar.set('language', other)
      const chosen = [await browser.get('/login', { 'accept-language': language }), await browser.get(path)]

      expect([...header, ...chosen].map(({ text }) => /<html lang="(..)">/.exec(text)?.[1])).toEqual([
        other,
        language,
        other,
        other,
      ])
    })

    it('are compared with texts that are found in English pages', async () => {
      const { text } = await createBrowser(app.fastify).get('/login')

      expect(findEnglish(text, language)).toEqual(expect.arrayContaining(['Log in', 'E-mail address', 'Register']))
    })
  })
})

describe('every page route of the service', () => {
  it('is in the lists of pages above', async () => {
    const routes = listPageRoutes(app.fastify)
    const responses = await Promise.all(inject.mock.results.map(({ value }) => value as ReturnType<Inject>))

    const isPage = (n: number) => String(responses[n]?.headers['content-type']).startsWith('text/html')
    const visited = new Set(
      inject.mock.calls.flatMap(([{ method, url }], n) => (isPage(n) ? [findRoute(routes, method, url)] : [])),
    )

    expect(routes.length).toBeGreaterThan(50)
    expect(routes.filter((route) => !visited.has(route))).toEqual([])
  })
})
