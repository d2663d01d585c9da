import sharp from 'sharp'

import { GREEN, type Person } from '../helpers/given.ts'

export const PASSWORD = 'battery staple'
const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'navy' } })
  .png()
  .toBuffer()

/** `owner`: the resident whose rows are asked for. `elsewhere`: an employee of another organisation. */
export const personas = ['nobody', 'other', 'employee', 'elsewhere', 'moderator', 'admin', 'owner'] as const
export type Persona = (typeof personas)[number]

export interface World {
  readonly people: Readonly<Record<Exclude<Persona, 'nobody'>, Person>>
  readonly type: number
  readonly secondEmail: number
  readonly token: number
  readonly heldIssue: number
  readonly heldPicture: string
  readonly privatePicture: string
}
type Request = readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown]

interface Row {
  readonly operation: string
  readonly what: string
  readonly request: (world: World) => Request
  /** Of everybody who is not named. */
  readonly all: number
  readonly but?: Readonly<Partial<Record<Persona, number>>>
}

const report = (world: World, more: object = {}) => ({
  ...GREEN,
  address: '250 Church St',
  request_type_id: world.type,
  answers: { summary: 'Hole' },
  ...more,
})
const api = (path: string) => `/api/v2${path}`
const onlyMembers = { nobody: 401 }
const onlyOwner = { nobody: 401, owner: 204 }
const account = {
  name: 'New One',
  email: 'new@example.org',
  password: PASSWORD,
  password_confirmation: PASSWORD,
  accept_terms: true,
}
function form(fields: Readonly<Record<string, string | Buffer>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)]), 'a.png')
  }
  return data
}
const counted = (() => {
  let count = 0
  return () => ++count
})()

export const rows: readonly Row[] = [
  {
    operation: 'createIssue',
    what: 'a report',
    request: (world) => ['POST', api('/issues'), report(world, { answers: { summary: `Hole ${counted()}` } })],
    all: 201,
    but: onlyMembers,
  },
  {
    operation: 'createIssue',
    what: 'one that is held',
    request: (world) => ['POST', api('/issues'), report(world, { answers: { summary: 'asshole' } })],
    all: 202,
    but: onlyMembers,
  },
  {
    operation: 'createIssue',
    what: 'one with faults',
    request: (world) => ['POST', api('/issues'), report(world, { lat: 200 })],
    all: 422,
    but: onlyMembers,
  },
  {
    operation: 'createIssue',
    what: 'one with a picture',
    request: () => [
      'POST',
      api('/issues'),
      form({
        lat: String(GREEN.lat),
        lng: String(GREEN.lng),
        address: 'x',
        request_type_id: 'other',
        'answers[summary]': `Bench ${counted()}`,
        'answers[issue_image]': picture,
      }),
    ],
    all: 201,
    but: onlyMembers,
  },
  {
    operation: 'getIssue',
    what: 'a held report',
    request: (world) => ['GET', api(`/issues/${world.heldIssue}`)],
    all: 404,
    but: { owner: 200, moderator: 200, admin: 200 },
  },
  {
    operation: 'getFile',
    what: 'the picture of a held report',
    request: (world) => ['GET', `/files/${world.heldPicture}`],
    all: 404,
    but: { owner: 200, moderator: 200, admin: 200 },
  },
  {
    operation: 'getFile',
    what: 'a picture that is kept private',
    request: (world) => ['GET', `/files/${world.privatePicture}`],
    all: 404,
    but: { employee: 200, admin: 200 },
  },
  {
    operation: 'getReportForm',
    what: 'a form',
    request: () => ['GET', api(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`)],
    all: 200,
  },
  {
    operation: 'getRequestType',
    what: 'its questions',
    request: (world) => ['GET', api(`/request_types/${world.type}`)],
    all: 200,
  },
  {
    operation: 'listDuplicates',
    what: 'what is like it',
    request: () => ['GET', api(`/issues/duplicates?lat=${GREEN.lat}&lng=${GREEN.lng}`)],
    all: 200,
  },
  {
    operation: 'createUser',
    what: 'an account',
    request: () => ['POST', api('/users'), { ...account, email: `new${counted()}@example.org` }],
    all: 201,
  },
  {
    operation: 'createUser',
    what: 'one with faults',
    request: () => ['POST', api('/users'), { ...account, name: 'A' }],
    all: 422,
  },
  { operation: 'getUser', what: 'another person', request: (world) => ['GET', api(`/users/${world.people.owner.id}`)], all: 200 },
  { operation: 'getProfile', what: 'their own profile', request: () => ['GET', api('/profile')], all: 200 },
  {
    operation: 'updateProfile',
    what: 'a name',
    request: () => ['PUT', api('/profile'), { name: 'Another Name' }],
    all: 200,
    but: { nobody: 422 },
  },
  {
    operation: 'updateProfile',
    what: 'a picture of them',
    request: () => ['PUT', api('/profile'), form({ uploaded_data: picture })],
    all: 200,
    but: { nobody: 422 },
  },
  {
    operation: 'updateProfile',
    what: 'a password without the present one',
    request: () => ['PUT', api('/profile'), { password: 'another', password_confirmation: 'another' }],
    all: 422,
  },
  {
    operation: 'updateProfile',
    what: 'another role, which is ignored',
    request: () => ['PUT', api('/profile'), { role: 'Admin', civic_points: 9_999 }],
    all: 200,
    but: { nobody: 422 },
  },
  { operation: 'listEmails', what: 'their own addresses', request: () => ['GET', api('/emails')], all: 200, but: onlyMembers },
  {
    operation: 'createEmail',
    what: 'an address',
    request: () => ['POST', api('/emails'), { email: `more${counted()}@example.org` }],
    all: 201,
    but: onlyMembers,
  },
  {
    operation: 'createEmail',
    what: 'what is no address',
    request: () => ['POST', api('/emails'), { email: 'more' }],
    all: 422,
    but: onlyMembers,
  },
  {
    operation: 'requestEmailConfirmation',
    what: 'a mail for an address of the owner',
    request: (world) => ['POST', api(`/emails/${world.secondEmail}/confirmation`)],
    all: 404,
    but: { nobody: 401, owner: 202 },
  },
  {
    operation: 'deleteEmail',
    what: 'an address of the owner',
    request: (world) => ['DELETE', api(`/emails/${world.secondEmail}`)],
    all: 404,
    but: onlyOwner,
  },
  {
    operation: 'deleteEmail',
    what: 'the last confirmed one',
    request: () => ['DELETE', api('/emails/1')],
    all: 404,
    but: { nobody: 401, owner: 422 },
  },
  {
    operation: 'confirmEmail',
    what: 'a link that nobody was sent',
    request: () => ['POST', api('/emails/confirm'), { token: 'x'.repeat(43) }],
    all: 422,
  },
  {
    operation: 'getEmailConfirmationPage',
    what: 'its page',
    request: () => ['GET', api(`/emails/confirm?token=${'x'.repeat(43)}`)],
    all: 422,
  },
  {
    operation: 'forgetPassword',
    what: 'a mail to an address that is known',
    request: (world) => ['POST', api('/passwords/forgot'), { email: world.people.owner.email }],
    all: 202,
  },
  {
    operation: 'forgetPassword',
    what: 'a mail to one that is not',
    request: () => ['POST', api('/passwords/forgot'), { email: 'unknown@example.org' }],
    all: 202,
  },
  {
    operation: 'resetPassword',
    what: 'a link that nobody was sent',
    request: () => [
      'POST',
      api('/passwords/reset'),
      { token: 'x'.repeat(43), password: PASSWORD, password_confirmation: PASSWORD },
    ],
    all: 422,
  },
  {
    operation: 'createToken',
    what: 'a token with the password of the owner',
    request: (world) => ['POST', api('/tokens'), { email: world.people.owner.email, password: PASSWORD }],
    all: 201,
  },
  {
    operation: 'createToken',
    what: 'one with another password',
    request: (world) => ['POST', api('/tokens'), { email: world.people.owner.email, password: 'wrong' }],
    all: 401,
  },
  { operation: 'createToken', what: 'one by a token alone', request: () => ['POST', api('/tokens'), {}], all: 401 },
  { operation: 'listTokens', what: 'their own tokens', request: () => ['GET', api('/tokens')], all: 200, but: onlyMembers },
  {
    operation: 'deleteToken',
    what: 'a token of the owner',
    request: (world) => ['DELETE', api(`/tokens/${world.token}`)],
    all: 404,
    but: onlyOwner,
  },
  {
    operation: 'grantToken',
    what: 'a grant with the password of the owner',
    request: (world) => [
      'POST',
      api('/oauth/token'),
      { grant_type: 'password', username: world.people.owner.email, password: PASSWORD },
    ],
    all: 200,
  },
  {
    operation: 'grantToken',
    what: 'one with another password',
    request: (world) => [
      'POST',
      api('/oauth/token'),
      { grant_type: 'password', username: world.people.owner.email, password: 'wrong' },
    ],
    all: 400,
  },
]
