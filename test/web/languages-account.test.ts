import { beforeAll, describe, expect, it } from 'vitest'

import type { Language } from '../../src/errors/texts/languages.ts'
import { fieldTexts } from '../../src/html/field-texts.ts'
import { layoutTexts } from '../../src/html/layout-texts.ts'
import { pagerTexts } from '../../src/html/pager-texts.ts'
import { opsTexts } from '../../src/ops/ops-texts.ts'
import { accountTexts } from '../../src/web/account/account-texts.ts'
import { confirmEmailTexts } from '../../src/web/account/confirm-email-texts.ts'
import { logInTexts } from '../../src/web/account/log-in-texts.ts'
import { passwordTexts } from '../../src/web/account/password-texts.ts'
import { registerTexts } from '../../src/web/account/register-texts.ts'
import { revertTexts } from '../../src/web/account/revert-texts.ts'
import { unsubscribeTexts } from '../../src/web/account/unsubscribe-texts.ts'
import { userTexts } from '../../src/web/account/user-texts.ts'
import { devMailTexts } from '../../src/web/mail/dev-mail-texts.ts'
import { moderationTexts } from '../../src/web/moderation/moderation-texts.ts'
import { placeListTexts } from '../../src/web/places/place-list-texts.ts'
import { placeTexts } from '../../src/web/places/place-texts.ts'
import { questionListTexts } from '../../src/web/questions/question-list-texts.ts'
import { questionTexts } from '../../src/web/questions/question-texts.ts'
import { watchAreasTexts } from '../../src/web/watch-areas/watch-areas-texts.ts'
import { watchTexts } from '../../src/web/watch-areas/watch-texts.ts'
import type { PageResponse } from '../helpers/browser.ts'
import { createBrowser } from '../helpers/browser.ts'
import { resetDatabase } from '../helpers/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createLanguageScenario, type LanguageScenario, PASSWORD } from './language-scenario.ts'
import { createTextFinder } from './text-parts.ts'

const app = useApp({ keepRows: true })

const catalogues = [
  [fieldTexts, layoutTexts, pagerTexts, opsTexts, accountTexts, confirmEmailTexts, logInTexts, passwordTexts, registerTexts],
  [revertTexts, unsubscribeTexts, userTexts, devMailTexts, moderationTexts, placeListTexts, placeTexts, questionListTexts],
  [questionTexts, watchAreasTexts, watchTexts],
].flat()
const textsOf = (language: Language) => catalogues.map((texts) => texts[language])

/** Cards of places and issues belong to other pages and have their own test. */
const withoutCards = (text: string) =>
  text.replace(/<li class="card (?:place|issue)">[^]*?<\/li>/g, '').replace(/<p class="quiet">City[^<]*<\/p>/, '')

type Page = readonly [name: string, load: (scenario: LanguageScenario) => Promise<PageResponse>]
type Viewer = keyof LanguageScenario['browsers']

const get = (viewer: Viewer, path: string): Page => [`${path} as ${viewer}`, ({ browsers }) => browsers[viewer].get(path)]
const post = (viewer: Viewer, path: string, fields: Record<string, string>): Page => [
  `POST ${path} as ${viewer}`,
  ({ browsers }) => browsers[viewer].post(path, fields),
]

const circle = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=750`
const QUESTIONS = '/places/xyz/questions'

const pages: readonly Page[] = [
  ...['/login', '/register', '/register/done', '/register/done?return_to=/x', '/password/forgot'].map((path) =>
    get('anonymous', path),
  ),
  ...['/password/reset?token=x', '/emails/confirm?token=x', '/emails/revert?token=x'].map((path) => get('anonymous', path)),
  post('anonymous', '/login', { email: '', password: '' }),
  post('anonymous', '/login', { email: 'x@example.org', password: 'x' }),
  post('anonymous', '/register', { name: 'x' }),
  post('anonymous', '/password/forgot', { email: 'x' }),
  post('anonymous', '/password/forgot', { email: 'x@example.org' }),
  ['/users/:id', ({ browsers, ada }) => browsers.anonymous.get(`/users/${ada.id}`)],
  ...['', 'saved', 'password', 'mailed', 'removed'].map((done) => get('ada', `/account?done=${done}`)),
  post('ada', '/account', { name: '', locale: '?' }),
  post('ada', '/account/password', {}),
  post('ada', '/account/emails', { email: 'x' }),

  get('ben', '/account/watch-areas'),
  ...['', 'watched', 'saved', 'renewed', 'removed'].map((done) => get('ada', `/account/watch-areas?done=${done}`)),
  ...['', '?place_url=none', '?place_url=xyz&frequency=never', `?${circle}`].map((query) => get('anonymous', `/watch${query}`)),
  get('ben', '/watch?place_url=xyz&frequency=weekly'),
  post('ben', '/watch', { place_url: 'xyz', name: 'x'.repeat(101) }),

  ...['', '?search=zzz', '?page=9', `?${circle.replace('&radius=750', '')}`].map((query) => get('anonymous', `/places${query}`)),
  ...['', '?search=zzz', '?status=closed,archived', '?search=zzz&status=open,acknowledged,closed,archived', '?page=9'].map(
    (query) => get('anonymous', `/places/xyz${query}`),
  ),
  ...['', '?subset=answered', '?search=zzzz', '?search=zzzz&subset=unanswered', '?page=9'].map((query) =>
    get('anonymous', QUESTIONS + query),
  ),
  get('ben', QUESTIONS),
  post('ben', QUESTIONS, { question: '' }),
  ['/questions/:id as anonymous', ({ browsers, questions }) => browsers.anonymous.get(`/questions/${questions.open}`)],
  ['/questions/:id as its asker', ({ browsers, questions }) => browsers.ada.get(`/questions/${questions.open}`)],
  ['/questions/:id as an answerer', ({ browsers, questions }) => browsers.ben.get(`/questions/${questions.open}`)],
  ['/questions/:id as a moderator', ({ browsers, questions }) => browsers.mia.get(`/questions/${questions.pending}`)],
  ...(['lonely', 'pending', 'rejected'] as const).map((key): Page => [
    `a ${key} question`,
    ({ browsers, questions }) => browsers.ada.get(`/questions/${questions[key]}`),
  ]),
  ['a question without answers', ({ browsers, questions }) => browsers.ben.get(`/questions/${questions.lonely}`)],
  ['a blank answer', ({ browsers, questions }) => browsers.ben.post(`/questions/${questions.open}/answers`, { answer: '' })],
  ['an acceptance by another user', ({ browsers, answer }) => browsers.ben.post(`/answers/${answer}/accept`)],

  ...['', '?page=9', '?state=approved', '?state=rejected', '?done=approved', '?done=rejected'].map((query) =>
    get('mia', `/moderation${query}`),
  ),
  ...(['commentItem', 'reportItem', 'answerItem', 'flaggedItem'] as const).map((key): Page => [
    `/moderation/:id of the ${key}`,
    ({ browsers, items }) => browsers.mia.get(`/moderation/${items[key]}`),
  ]),
  [
    'a long reason',
    ({ browsers, items }) => browsers.mia.post(`/moderation/${items.reportItem}/reject`, { reason: 'x'.repeat(1_001) }),
  ],
  [
    'a rejected item',
    async ({ browsers, items }) => {
      await browsers.mia.post(`/moderation/${items.answerItem}/reject`, { reason: 'Zzz.' })
      return browsers.mia.get(`/moderation/${items.answerItem}`)
    },
  ],

  get('admin', '/ops'),
  ...(['event', 'mail', 'request'] as const).map((kind): Page => [
    `/ops/trace of a ${kind}`,
    (scenario) => loadTrace(scenario, kind),
  ]),
]

async function loadTrace({ browsers, ada }: LanguageScenario, kind: 'event' | 'mail' | 'request'): Promise<PageResponse> {
  const request_id = 'b7a1f0c2d9e84b66'
  const event = { type: 'user.password_changed', subject_type: 'user', subject_id: ada.id, request_id }
  const { id } = await app.db.prisma.event.create({ data: event })
  await app.db.prisma.outboxDelivery.create({ data: { event_id: id, handler: 'send-account-mails', due_at: new Date() } })
  const address = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: ada.id } })
  const { message_id } = await app.db.prisma.mail.create({ data: { event_id: id, email_address_id: address.id } })
  return browsers.admin.get(`/ops/trace/${{ event: String(id), mail: message_id, request: request_id }[kind]}`)
}

/** Opened without a chosen language, so that the locale of the account decides. */
const mailPages: readonly Page[] = [
  ['an open confirmation', async ({ mailToken }) => open(`/emails/confirm?token=${await mailToken('confirm_email')}`)],
  [
    'a confirmation with a wrong password',
    async ({ mailToken }) => open('/emails/confirm', { token: await mailToken('confirm_email'), password: 'x' }),
  ],
  [
    'a confirmed address',
    async ({ mailToken }) => open('/emails/confirm', { token: await mailToken('confirm_email'), password: PASSWORD }),
  ],
  ...(['user.email_added', 'user.email_confirmed', 'user.email_removed'] as const).flatMap((change): Page[] => [
    [`${change} to undo`, async ({ mailToken }) => open(`/emails/revert?token=${await mailToken('revert_email_change', change)}`)],
    [
      `${change} undone`,
      async ({ mailToken }) => open('/emails/revert', { token: await mailToken('revert_email_change', change) }),
    ],
  ]),
  ...['issue', 'question', 'watch', 'all'].flatMap((kind): Page[] => [
    [`mails about ${kind}`, async (scenario) => open(`/unsubscribe?token=${await unsubscribeTokenOf(scenario, kind)}`)],
    [
      `no mails about ${kind}`,
      async (scenario) => open('/unsubscribe', { token: await unsubscribeTokenOf(scenario, kind), do: `stop-${kind}` }),
    ],
  ]),
]

function open(path: string, fields?: Record<string, string>): Promise<PageResponse> {
  const browser = createBrowser(app.fastify)
  return fields ? browser.post(path, fields) : browser.get(path)
}

async function unsubscribeTokenOf({ ada, issue, questions, unsubscribe }: LanguageScenario, kind: string): Promise<string> {
  const user_id = ada.id
  if (kind === 'issue') return unsubscribe({ kind, user_id, issue_id: issue })
  if (kind === 'question') return unsubscribe({ kind, user_id, question_id: questions.open })
  if (kind === 'all') return unsubscribe({ kind, user_id })
  const area = await app.db.prisma.watchArea.findFirstOrThrow({ where: { user_id }, select: { id: true } })
  return unsubscribe({ kind: 'watch', user_id, watch_area_id: area.id })
}

describe.each(['es', 'fr'] as const)('the pages in %s', (language) => {
  let scenario: LanguageScenario
  const findEnglish = createTextFinder(textsOf('en'), textsOf(language))
  beforeAll(async () => {
    await resetDatabase(app.db)
    scenario = await createLanguageScenario(app, language)
  })

  it.each(pages)('contain no English: %s', async (_, load) => {
    const { text } = await load(scenario)

    expect(text).toContain(`<html lang="${language}">`)
    expect(findEnglish(withoutCards(text))).toEqual([])
  })

  it.each(mailPages)('have the language of the account: %s', async (_, load) => {
    const { status, text } = await load(scenario)

    expect([200, 422]).toContain(status)
    expect(text).toContain(`<html lang="${language}">`)
    expect(findEnglish(text)).toEqual([])
  })

  it('contain no English after a password was reset', async () => {
    const fields = { token: await scenario.mailToken('reset_password'), password: 'battery staple' }
    const { anonymous } = scenario.browsers

    const answers = [
      await anonymous.get(`/password/reset?token=${fields.token}`),
      await anonymous.post('/password/reset', { ...fields, password_confirmation: 'x' }),
      await anonymous.post('/password/reset', { ...fields, password_confirmation: fields.password }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 422, 200])
    expect(answers.flatMap(({ text }) => findEnglish(text))).toEqual([])
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
    expect([empty, list, mail].flatMap(({ text }) => findEnglish(text))).toEqual([])
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

    expect([...header, ...chosen].map(({ text }) => /<html lang="(..)">/.exec(text)?.[1])).toEqual([other, language, other, other])
  })

  it('are compared with texts that are found in English pages', async () => {
    const { text } = await createBrowser(app.fastify).get('/login')

    expect(findEnglish(text)).toEqual(expect.arrayContaining(['Log in', 'E-mail address', 'Forgotten your password', 'Register']))
  })
})
