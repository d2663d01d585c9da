import { createBrowser, type PageResponse } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { issuePageRows } from './issue-pages.ts'
import { managePageRows } from './manage-pages.ts'
import { workPageRows } from './work-pages.ts'
import { at, nextNumber, type LoggedInPersona, PASSWORD, type Persona, type PersonaRows } from './persona-rows.ts'

/** A page or form that each persona requests with a session cookie. */
export interface PageRow {
  readonly what: string
  readonly path: string | ((world: PersonaRows) => string | Promise<string>)
  /** The request is a POST of this form. */
  readonly fields?: (world: PersonaRows) => Record<string, string>
  readonly headers?: Record<string, string>
  /** The status and Location that all personas get unless `exceptFor` names them. */
  readonly expected: string
  readonly exceptFor?: Readonly<Partial<Record<Persona, string>>>
  /** Returns a text that only this logged-in persona sees. */
  readonly shows?: (person: PersonaRows['people'][LoggedInPersona]) => string
}

const report = (more: Record<string, string> = {}) => ({
  lat: String(GREEN.lat),
  lng: String(GREEN.lng),
  address: '250 Church St',
  request_type_id: 'other',
  'answers[summary]': `Lamp ${nextNumber()}`,
  ...more,
})
const logInFirst = (path: string) => `303 /login?${new URLSearchParams({ return_to: path }).toString()}`
const questions = `/report?${at}&type=other`

export const pageRows: readonly PageRow[] = [
  ...['', '/language', '/mails', '/password', '/tokens', '/data', '/webhooks'].map((section) => ({
    what: `GET /account${section}`,
    path: `/account${section}`,
    expected: '200',
    exceptFor: { anonymous: logInFirst(`/account${section}`) },
  })),
  {
    what: 'GET /account/emails',
    path: '/account/emails',
    expected: '200',
    exceptFor: { anonymous: logInFirst('/account/emails') },
    shows: ({ email }) => email,
  },
  ...['reports', 'following'].map((list) => ({
    what: `GET /account/${list}`,
    path: `/account/${list}`,
    expected: '200',
    exceptFor: { anonymous: logInFirst(`/account/${list}`) },
  })),
  {
    what: 'GET /account/reports with the pending report of the owner',
    path: '/account/reports?status=pending',
    expected: '200',
    exceptFor: { anonymous: logInFirst('/account/reports?status=pending') },
  },
  {
    what: 'GET /account/invitations',
    path: '/account/invitations',
    expected: '200',
    exceptFor: { anonymous: logInFirst('/account/invitations') },
  },
  {
    what: 'POST /account/invitations/:id/accept of an unknown invitation',
    path: '/account/invitations/999/accept',
    fields: () => ({}),
    expected: '404',
    exceptFor: { anonymous: logInFirst('/account/invitations') },
  },
  ...managePageRows,
  { what: 'GET /questions', path: '/questions', expected: '200' },
  {
    what: 'GET /account/watch-areas',
    path: '/account/watch-areas',
    expected: '200',
    exceptFor: { anonymous: logInFirst('/account/watch-areas') },
  },
  { what: 'GET /users/:id', path: ({ people }) => `/users/${people.owner.id}`, expected: '200' },
  { what: 'GET /users/:id of an unknown user', path: '/users/999999', expected: '404' },
  { what: 'GET /watch', path: `/watch?${at}`, expected: '200' },
  {
    what: 'POST /watch',
    path: '/watch',
    fields: () => ({ lat: String(GREEN.lat), lng: String(GREEN.lng), radius: '500', name: `Watched ${nextNumber()}` }),
    expected: '303 /account/watch-areas?done=watched',
    exceptFor: { anonymous: logInFirst('/watch') },
  },
  ...['', '/token', '/delete'].map((step) => ({
    what: `POST /account/watch-areas/:id${step} of a watch area of the owner`,
    path: async ({ app, people }: PersonaRows) => {
      await app.create.watchArea({ of: people.owner, token: `page-of-the-owner-${nextNumber()}` })
      const area = await app.db.prisma.watchArea.findFirstOrThrow({ where: { user_id: people.owner.id }, orderBy: { id: 'desc' } })
      return `/account/watch-areas/${area.id}${step}`
    },
    fields: () => ({ name: 'Another' }),
    expected: '404',
    exceptFor: {
      anonymous: logInFirst('/account/watch-areas'),
      owner: `303 /account/watch-areas?done=${{ '': 'saved', '/token': 'renewed', '/delete': 'removed' }[step]}`,
    },
  })),
  {
    what: 'GET /account/watch-areas/:id of an unknown watch area',
    path: '/account/watch-areas/999999',
    expected: '404',
    exceptFor: { anonymous: logInFirst('/account/watch-areas/999999') },
  },
  ...['/forecast', '/addresses'].map((step) => ({
    what: `POST /account/watch-areas/:id${step} of a watch area of the owner`,
    path: async ({ app, people }: PersonaRows) => {
      await app.create.watchArea({ of: people.owner, token: `shown-to-the-owner-${nextNumber()}` })
      const area = await app.db.prisma.watchArea.findFirstOrThrow({ where: { user_id: people.owner.id }, orderBy: { id: 'desc' } })
      return `/account/watch-areas/${area.id}${step}`
    },
    fields: () => ({}),
    expected: '404',
    exceptFor: { anonymous: logInFirst('/account/watch-areas'), owner: '200' },
  })),
  { what: 'POST /watch/forecast', path: '/watch/forecast', fields: () => ({ place_url: 'unknown' }), expected: '200' },
  {
    what: 'GET /moderation',
    path: '/moderation',
    expected: '403',
    exceptFor: { anonymous: logInFirst('/moderation'), moderator: '200', admin: '200' },
  },
  {
    what: 'GET /moderation/:id of an unknown item',
    path: '/moderation/999',
    expected: '403',
    exceptFor: { anonymous: logInFirst('/moderation/999'), moderator: '404', admin: '404' },
  },
  ...['approve', 'reject'].map((decision) => ({
    what: `POST /moderation/:id/${decision} of an unknown item`,
    path: `/moderation/999/${decision}`,
    fields: () => ({}),
    expected: '403',
    exceptFor: { anonymous: logInFirst('/moderation'), moderator: '404', admin: '404' },
  })),
  { what: 'GET /report', path: '/report', expected: '200' },
  {
    what: 'GET /report with the questions of a request type',
    path: questions,
    expected: '200',
  },
  { what: 'GET /login', path: '/login', expected: '303 /', exceptFor: { anonymous: '200' } },
  { what: 'GET /register', path: '/register', expected: '303 /', exceptFor: { anonymous: '200' } },
  { what: 'GET /password/forgot', path: '/password/forgot', expected: '200' },
  {
    what: 'GET /issues/:id of a report pending review',
    path: ({ pendingIssue }) => `/issues/${pendingIssue}`,
    expected: '404',
    exceptFor: { owner: '200', moderator: '200', admin: '200' },
  },
  {
    what: 'GET /questions/:id of a question pending review',
    path: async ({ app, people }) =>
      `/questions/${await app.create.question({ place: (await app.create.place()).id, by: people.owner, moderation_state: 'held' })}`,
    expected: '404',
    exceptFor: { owner: '200', moderator: '200', admin: '200' },
  },
  {
    what: 'POST /login with the password of the owner',
    path: '/login',
    fields: ({ people }) => ({ email: people.owner.email, password: PASSWORD }),
    expected: '303 /',
  },
  {
    what: 'POST /login with a wrong password',
    path: '/login',
    fields: ({ people }) => ({ email: people.owner.email, password: 'wrong' }),
    expected: '422',
  },
  { what: 'POST /logout', path: '/logout', fields: () => ({}), expected: '303 /' },
  {
    what: 'POST /report',
    path: '/report',
    fields: () => report(),
    expected: '303 /issues/N?reported=now',
    exceptFor: { anonymous: '303 /report/draft' },
  },
  {
    what: 'POST /report with invalid fields',
    path: '/report',
    fields: () => report({ 'answers[summary]': '' }),
    expected: '422',
  },
  {
    what: 'POST /account',
    path: '/account',
    fields: () => ({ name: 'Another Name' }),
    expected: '303 /account?done=saved',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  {
    what: 'POST /account with invalid fields',
    path: '/account',
    fields: () => ({ name: 'A' }),
    expected: '422',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  {
    what: 'POST /account/language',
    path: '/account/language',
    fields: () => ({ locale: 'fr' }),
    expected: '303 /account/language?done=saved',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  {
    what: 'POST /account/following/:id/delete of an unknown issue',
    path: '/account/following/999999/delete',
    fields: () => ({}),
    expected: '404',
    exceptFor: { anonymous: logInFirst('/account/following') },
  },
  {
    what: 'POST /account/mails/organizations/:id, which changes only memberships of the caller',
    path: '/account/mails/organizations/1',
    fields: () => ({ daily_mail: 'true' }),
    expected: '303 /account/mails?done=saved',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  {
    what: 'POST /account/mails',
    path: '/account/mails',
    fields: () => ({ issue_mails: 'false' }),
    expected: '303 /account/mails?done=saved',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  { what: 'GET /closings with an unknown link', path: '/closings?token=c.1.1.aaaaaaaaaaaaaaaa&fixed=yes', expected: '404' },
  {
    what: 'POST /closings with an unknown link',
    path: '/closings',
    fields: () => ({ token: 'c.1.1.aaaaaaaaaaaaaaaa', fixed: 'yes' }),
    expected: '404',
  },
  { what: 'GET /unsubscribe with an unknown link', path: '/unsubscribe?token=i.1.1.aaaaaaaaaaaaaaaa', expected: '404' },
  {
    what: 'POST /unsubscribe with an unknown link',
    path: '/unsubscribe',
    fields: () => ({ token: 'a.1.aaaaaaaaaaaaaaaa', do: 'stop-all' }),
    expected: '404',
  },
  {
    what: 'POST /account/password',
    path: '/account/password',
    fields: () => ({ current_password: PASSWORD, password: 'another one' }),
    expected: '303 /account/password?done=password',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  {
    what: 'POST /account/password without the current password',
    path: '/account/password',
    fields: () => ({ password: 'another one' }),
    expected: '422',
    exceptFor: { anonymous: logInFirst('/account') },
  },
  ...issuePageRows,
  ...workPageRows,
  ...['/account', '/report'].map((path) => ({
    what: `POST ${path} from another site`,
    path,
    fields: () => ({ ...report(), name: 'Another Name' }),
    headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    expected: '403',
  })),
]

/** Requests a page with a session of the persona. Returns the response with its status and Location in the notation of rows. */
export async function openPageAs(
  world: PersonaRows,
  persona: Persona,
  row: PageRow,
): Promise<PageResponse & { readonly outcome: string }> {
  const browser =
    persona === 'anonymous' ? createBrowser(world.app.fastify) : await createLoggedInBrowser(world.app, world.people[persona])
  const path = typeof row.path === 'string' ? row.path : await row.path(world)
  const answer = row.fields ? await browser.post(path, row.fields(world), row.headers) : await browser.get(path)
  const leadsTo = String(answer.headers['location'] ?? '').replace(/((?:\/|%2F)issues(?:\/|%2F)|#comment-)\d+/g, '$1N')
  return { ...answer, outcome: `${answer.status} ${leadsTo}`.trim() }
}
