import type { PageResponse } from '../../helpers/browser.ts'
import { hashToken } from '../../../src/http/identity/credentials.ts'
import { GREEN } from '../../helpers/factories.ts'
import { redImage } from '../../media/stored-images.ts'
import { sendMultipart } from '../../helpers/logged-in-browser.ts'
import { type AccountPage, get, post } from './account-page.ts'
import { managePages } from './manage-pages.ts'
import { opsPages } from './ops-pages.ts'
import type { LanguageScenario } from './scenario.ts'

/** Forms of rows that do not exist. */
const unknownRows = [
  ...['emails/x/confirmation', 'emails/x/delete', 'tokens/x/delete'].map((path) => `/account/${path}`),
  ...['', '/forecast', '/addresses', '/token', '/delete'].map((path) => `/account/watch-areas/999${path}`),
  ...['', '/secret', '/test', '/replay', '/delete'].map((path) => `/account/webhooks/999${path}`),
  ...['acknowledge', 'close', 'vote', 'vote/delete', 'follow', 'follow/delete', 'flag'].map((path) => `/issues/999/${path}`),
  ...['vote', 'vote/delete', 'accept/delete', 'flag'].map((path) => `/answers/999/${path}`),
  '/questions/999/flag',
  '/users/999/flag',
]

const circle = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=750`
const BOX = { 'boxes[1][x]': '10', 'boxes[1][y]': '20', 'boxes[1][width]': '30', 'boxes[1][height]': '40' }
const redactionPath = (key: string) => `/moderation/pictures/${key.slice(key.lastIndexOf('/') + 1)}`
const wrongShapes = ['{"type":"Point"}', '{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1]]]}']
const draftFields = {
  ...{ lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other' },
  ...{ address: 'Οδός', 'answers[summary]': 'Λάκκος' },
}
const LINK = 'link-of-a-mail'
const PUBLISHED_LINK = `${LINK}-published`
const QUESTIONS = '/places/xyz/questions'

export const accountPages: readonly AccountPage[] = [
  ...['/login', '/register', '/register/done', '/register/done?return_to=/x', '/password/forgot'].map((path) =>
    get('anonymous', path),
  ),
  get('anonymous', '/login?return_to=%2Freport%2Fdraft%3Fpublish%3Dlogin'),
  ...[
    '/password/reset?token=x',
    '/emails/confirm?token=x',
    '/emails/revert?token=x',
    '/erasure?token=x',
    '/erasure/done',
    '/export?token=x',
  ].map((path) => get('anonymous', path)),
  ...['', '?done=export', '?done=erasure'].map((query) => get('ben', `/account/data${query}`)),
  post('ben', '/account/data/erase', { current_password: 'x' }),
  post('anonymous', '/erasure', { token: 'x' }),
  post('anonymous', '/login', { email: '', password: '' }),
  post('anonymous', '/login', { email: 'x@example.org', password: 'x' }),
  post('anonymous', '/register', { name: 'x' }),
  post('anonymous', '/password/forgot', { email: 'x' }),
  post('anonymous', '/password/forgot', { email: 'x@example.org' }),
  ...['/about', '/privacy', '/terms', '/data', '/data?data=places&place=xyz', '/data/dictionary', '/offline', '/embed'].map(
    (path) => get('anonymous', path),
  ),
  ['/users/:id', ({ browsers, ada }) => browsers.anonymous.get(`/users/${ada.id}`)],
  ...['', 'saved', 'password', 'mailed', 'removed'].map((done) => get('ada', `/account?done=${done}`)),
  ...['language', 'emails', 'mails', 'password', 'tokens', 'webhooks'].map((section) => get('ada', `/account/${section}`)),
  get('ada', '/account/webhooks/999'),
  post('ada', '/account/webhooks', { url: 'x' }),
  [
    'a new webhook',
    async ({ browsers }) => {
      const form = { url: 'https://example.org', 'kinds[]': 'gone' }
      const { headers } = await browsers.ada.post('/account/webhooks', form)
      return browsers.ada.get(String(headers['location']))
    },
  ],
  ...['saved', 'removed', 'delivered', 'notDelivered', 'replayed'].map((done) => get('ada', `/account/webhooks?done=${done}`)),
  ...['', '?status=pending', '?status=rejected', '?status=archived', '?page=9'].map((query) =>
    get('ada', `/account/reports${query}`),
  ),
  get('mia', '/account/reports'),
  ...['', '?status=archived', '?page=9', '?done=unfollowed'].map((query) => get('ada', `/account/following${query}`)),
  get('mia', '/account/following'),
  ...['', '?done=accepted', '?done=declined'].map((query) => get('mia', `/account/invitations${query}`)),
  post('mia', '/account/invitations/999/accept', {}),
  post('mia', '/account/invitations/999/decline', {}),
  ...managePages,
  ...['', '?late=close', '?status=open&page=9', '?done=close&count=2&changed=1'].map((query) => get('mia', `/work${query}`)),
  get('ada', '/work'),
  post('mia', '/work', { action: 'close-x' }),
  post('mia', '/work', { action: 'acknowledge' }),
  post('ada', '/account/following/999/delete', {}),
  post('ada', '/account/language', { locale: '?' }),
  post('ada', '/account', { name: '' }),
  post('ada', '/account/password', {}),
  post('ada', '/account/emails', { email: 'x' }),
  post('ada', '/account/mails', { issue_mails: 'x' }),
  post('mia', '/account/mails/organizations/x', { daily_mail: 'true' }),
  post('ada', '/account/picture', {}),
  post('anonymous', '/account/picture/delete', {}, { origin: 'https://elsewhere.example' }),
  post('anonymous', '/password/reset', { token: 'x', password: '' }),
  post('ben', '/places/none/report', {}),
  post('mia', '/moderation/999/approve', {}),
  ...unknownRows.map((path) => post('ben', path, {})),

  ...['publish', 'discard', 'mail'].map((path) => post('ben', `/report/draft/${path}`, {})),
  get('anonymous', '/report/draft/open?token=x'),
  ...['open', 'open/publish', 'open/password'].map((path) => post('anonymous', `/report/draft/${path}`, { token: 'x' })),
  [
    'the link of a mail to a draft that was published',
    async ({ app, browsers }) => {
      const { id: issue_id } = await app.db.prisma.issue.findFirstOrThrow({ where: { moderation_state: 'passed' } })
      const link = { secret_hash: hashToken(PUBLISHED_LINK), issue_id, expires_at: new Date(Date.now() + 60_000) }
      await app.db.prisma.reportDraftLink.upsert({ where: { secret_hash: link.secret_hash }, create: link, update: link })
      return browsers.anonymous.get(`/report/draft/open?token=${PUBLISHED_LINK}`)
    },
  ],
  [
    'the link of a mail to a draft',
    async (scenario) => {
      await loadMailedDraft(scenario)
      return scenario.browsers.anonymous.get(`/report/draft/open?token=${LINK}`)
    },
  ],
  [
    'the link of a mail to a draft that was changed meanwhile',
    async (scenario) => {
      await loadMailedDraft(scenario)
      return scenario.browsers.anonymous.post('/report/draft/open/publish', { token: LINK, version: 'x' })
    },
  ],
  [
    'a draft that the link of a mail has opened',
    async (scenario) => {
      await loadMailedDraft(scenario)
      await scenario.browsers.anonymous.post('/report/draft/open', { token: LINK })
      return scenario.browsers.anonymous.get('/report/draft')
    },
  ],
  ...['map', '1'].map((picture) => get('anonymous', `/report/drafts/999/${picture}?signature=x`)),
  ['a draft', loadDraft],
  [
    'the form of a draft with a picture',
    async (scenario) => {
      const picture = new File([new Uint8Array(await redImage().toBuffer())], 'a.png', { type: 'image/png' })
      await loadDraft(scenario, { 'answers[issue_image]': picture })
      return scenario.browsers.anonymous.get(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`)
    },
  ],
  [
    'the form of a draft that is gone',
    ({ browsers }) => sendMultipart(browsers.anonymous, '/report', { ...draftFields, draft_id: '999999' }),
  ],
  [
    'the form of another report than the draft, which it would replace',
    async (scenario) => {
      await loadDraft(scenario)
      return sendMultipart(scenario.browsers.anonymous, '/report', { ...draftFields, lat: String(GREEN.lat + 0.001) })
    },
  ],
  [
    'a draft and an address that is none',
    async (scenario) => {
      await loadDraft(scenario)
      return scenario.browsers.anonymous.post('/report/draft/mail', { email: 'x' })
    },
  ],
  [
    'a draft whose link was requested',
    async (scenario) => {
      await loadDraft(scenario)
      return scenario.browsers.anonymous.get('/report/draft?mail=requested')
    },
  ],
  [
    'a draft after the login',
    async (scenario) => {
      await loadDraft(scenario)
      const { anonymous, ...others } = scenario.browsers
      others.ada.jar.set('fixpoint_draft', anonymous.jar.get('fixpoint_draft') ?? '')
      return others.ada.get('/report/draft')
    },
  ],
  // The browser of Ada has the draft from here on.
  ...['/', '/report', '/account/reports', '/register/done'].map((path) => get('ada', path)),

  get('ben', '/account/watch-areas'),
  ...['', 'watched', 'saved', 'renewed', 'removed'].map((done) => get('ada', `/account/watch-areas?done=${done}`)),
  ...['', '?place_url=none', '?min_lat=1', '?lat=1', '?place_url=xyz&frequency=never', `?${circle}`].map((query) =>
    get('anonymous', `/watch${query}`),
  ),
  get('ben', '/watch?place_url=xyz&frequency=weekly'),
  ...(['', '/forecast', '/addresses'] as const).flatMap((action) => ['polygon', 'place', 'circle'].map(ownArea(action))),
  post('anonymous', '/watch/forecast', {}),
  post('anonymous', '/watch/forecast', { area: 'ω', frequency: 'weekly' }),
  ...wrongShapes.map((area) => post('anonymous', '/watch/forecast', { area })),
  post('anonymous', '/watch/forecast', { area: '{"type":"Polygon"}', place_url: 'xyz' }),
  post('anonymous', '/watch/forecast', { place_url: 'xyz', frequency: 'daily' }),
  post('ben', '/watch', { place_url: 'xyz', name: 'ω'.repeat(101) }),

  ...['', '?search=ωωω', '?page=9', `?${circle.replace('&radius=750', '')}`].map((query) => get('anonymous', `/places${query}`)),
  ...['', '?search=ωωω', '?status=closed,archived', '?search=ωωω&status=open,acknowledged,closed,archived', '?page=9'].map(
    (query) => get('anonymous', `/places/xyz${query}`),
  ),
  ...['', '?from=2026-01-01', '?from=2026-02-30', '?until=x'].map((query) => get('anonymous', `/places/xyz/numbers${query}`)),
  ['/organizations/:id', ({ browsers, organization }) => browsers.anonymous.get(`/organizations/${organization}`)],
  ...['', '?search=ω', '?search=ωωω', '?page=9'].map((query) => get('anonymous', `/questions${query}`)),
  ...['', '?subset=answered', '?search=ωωω', '?search=ωωω&subset=unanswered', '?page=9'].map((query) =>
    get('anonymous', QUESTIONS + query),
  ),
  get('ben', QUESTIONS),
  post('ben', QUESTIONS, { question: '' }),
  ['/questions/:id as anonymous', ({ browsers, questions }) => browsers.anonymous.get(`/questions/${questions.open}`)],
  ['/questions/:id as its asker', ({ browsers, questions }) => browsers.ada.get(`/questions/${questions.open}`)],
  ['/questions/:id as an answerer', ({ browsers, questions }) => browsers.ben.get(`/questions/${questions.open}`)],
  ['/questions/:id as a moderator', ({ browsers, questions }) => browsers.mia.get(`/questions/${questions.pending}`)],
  ...(['lonely', 'pending', 'rejected'] as const).map((key): AccountPage => [
    `a ${key} question`,
    ({ browsers, questions }) => browsers.ada.get(`/questions/${questions[key]}`),
  ]),
  ['a question without answers', ({ browsers, questions }) => browsers.ben.get(`/questions/${questions.lonely}`)],
  ['a blank answer', ({ browsers, questions }) => browsers.ben.post(`/questions/${questions.open}/answers`, { answer: '' })],
  ['an acceptance by another user', ({ browsers, answer }) => browsers.ben.post(`/answers/${answer}/accept`)],

  ...['', '?page=9', '?state=approved', '?state=rejected', '?done=approved', '?done=rejected', '?selected=all'].map((query) =>
    get('mia', `/moderation${query}`),
  ),
  ...['?done=approved&count=2', '?done=rejected&count=1'].map((query) => get('mia', `/moderation${query}`)),
  post('mia', '/moderation', { decision: 'approve' }),
  [
    'a rejection of several items without a reason',
    ({ browsers, items }) => browsers.mia.post('/moderation', { items: `${items.reportItem}-x`, decision: 'reject' }),
  ],
  [
    'several items that are left',
    ({ browsers, items }) => browsers.mia.post('/moderation', { items: `${items.reportItem}-x`, decision: 'approve' }),
  ],
  ...(['commentItem', 'reportItem', 'answerItem', 'flaggedItem', 'userItem'] as const).map((key): AccountPage => [
    `/moderation/:id of the ${key}`,
    ({ browsers, items }) => browsers.mia.get(`/moderation/${items[key]}`),
  ]),
  [
    'a long reason',
    ({ browsers, items }) => browsers.mia.post(`/moderation/${items.reportItem}/reject`, { reason: 'ω'.repeat(1_001) }),
  ],
  [
    'a rejected item',
    async ({ browsers, items }) => {
      await browsers.mia.post(`/moderation/${items.answerItem}/reject`, { reason: 'Όχι.' })
      return browsers.mia.get(`/moderation/${items.answerItem}`)
    },
  ],
  ['a picture to redact', ({ browsers, pictures }) => browsers.mia.get(redactionPath(pictures[0]))],
  ['a redaction without boxes', ({ browsers, pictures }) => browsers.mia.post(redactionPath(pictures[0]), {})],
  [
    'a redaction outside of the picture',
    ({ browsers, pictures }) => browsers.mia.post(redactionPath(pictures[0]), { ...BOX, 'boxes[1][x]': '101' }),
  ],
  [
    'a picture that is gone',
    ({ browsers, issue }) => browsers.mia.get(`${redactionPath(`x/${'0'.repeat(40)}.jpg`)}?issue=${issue}&item=1`),
  ],
  [
    'an issue with a redacted picture',
    async ({ browsers, issue, pictures }) => {
      await browsers.mia.post(redactionPath(pictures[1]), BOX)
      return browsers.mia.get(`/issues/${issue}`)
    },
  ],

  ...opsPages,
]

/** Returns the page of a watch area of Ada, or the answer to one of its forms. */
function ownArea(action: '' | '/forecast' | '/addresses') {
  return (kind: string): AccountPage => [
    `/account/watch-areas/:id${action} of a ${kind}`,
    async ({ app, ada, browsers }) => {
      const where = { user_id: ada.id, kind: kind as 'polygon' }
      const { id } = await app.db.prisma.watchArea.findFirstOrThrow({ where, select: { id: true } })
      const path = `/account/watch-areas/${id}${action}`
      return action === '' ? browsers.ada.get(path) : browsers.ada.post(path, {})
    },
  ]
}

async function loadDraft({ browsers: { anonymous } }: LanguageScenario, more: Record<string, File> = {}): Promise<PageResponse> {
  await sendMultipart(anonymous, '/report', { ...draftFields, ...more })
  return anonymous.get('/report/draft')
}

async function loadMailedDraft(scenario: LanguageScenario): Promise<void> {
  await loadDraft(scenario)
  const { prisma } = scenario.app.db
  const { id: draft_id } = await prisma.reportDraft.findFirstOrThrow({ orderBy: { id: 'desc' }, select: { id: true } })
  const link = { secret_hash: hashToken(LINK), draft_id, email: 'x@example.org' }
  await prisma.reportDraftLink.upsert({ where: { secret_hash: link.secret_hash }, create: link, update: link })
}
