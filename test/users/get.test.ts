import { beforeAll, describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import type { User } from '../../src/users/profile-schema.ts'
import { useApp } from '../helpers/use-app.ts'

const avatar = 'http://fixpoint.test/files/icons/avatar.svg'
const PASSWORD = 'correct horse'
const passwordHash = await hashPassword(PASSWORD)

const plain = {
  avatar: { full: avatar, square_100x100: avatar },
  civic_points: 0,
  closed_issue_count: 0,
  comments_count: 0,
  created_at: '2026-01-01T00:00:00Z',
  following_issue_count: 0,
  permissions: { can_acknowledge: false },
  reported_issue_count: 0,
  role: 'Registered User',
  updated_at: '2026-01-02T00:00:00Z',
  voted_issue_count: 0,
  witty_title: 'Street Smart',
}

describe('GET /users/:id', () => {
  const app = useApp()

  async function createUserWithHistory(name: string, more: Parameters<typeof app.create.user>[0] = {}) {
    const user = await app.create.user({ name, ...more })
    const stamps = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-02T00:00:00Z' }
    await app.db.prisma.user.update({ where: { id: user.id }, data: stamps })
    return user
  }

  it('returns the public profile only', async () => {
    const ada = await createUserWithHistory('Ada Park', { password_hash: 'secret', share_location: true })

    const { status, body } = await app.as.anonymous.get(`/users/${ada.id}`)

    expect([status, body]).toEqual([
      200,
      { ...plain, html_url: `http://fixpoint.test/users/${ada.id}`, id: ada.id, name: 'Ada Park' },
    ])
  })

  it('counts public contributions', async () => {
    const ada = await createUserWithHistory('Ada Park', { civic_points: 2500 })
    const [one, other] = [await app.create.issue({ reporter: ada, status: 'Closed' }), await app.create.issue({ reporter: ada })]
    await app.db.prisma.statusChange.create({ data: { issue_id: one, actor_id: ada.id, from_status: 'Open', to_status: 'Closed' } })
    await app.db.prisma.statusChange.create({ data: { issue_id: one, actor_id: ada.id, from_status: 'Closed', to_status: 'Open' } })
    await app.create.comment({ on: one, by: ada })
    await app.create.comment({ on: other, by: ada })
    await app.create.comment({ on: one, by: ada, moderation_state: 'held' })
    await app.create.follow({ on: one, by: ada })
    await app.create.vote({ on: other, by: ada })

    const { body } = await app.as.anonymous.get(`/users/${ada.id}`)

    expect(body).toEqual({
      ...plain,
      html_url: `http://fixpoint.test/users/${ada.id}`,
      id: ada.id,
      name: 'Ada Park',
      civic_points: 2500,
      witty_title: 'City Fixer',
      reported_issue_count: 2,
      closed_issue_count: 1,
      comments_count: 2,
      following_issue_count: 1,
      voted_issue_count: 1,
    })
  })

  it.each([
    ['was reported without a name', { anonymous: true }],
    ['is pending review', { moderation_state: 'held' as const }],
    ['was rejected', { moderation_state: 'rejected' as const }],
  ])('does not count what %s', async (_, more) => {
    const ada = await createUserWithHistory('Ada Park')
    const issue = await app.create.issue({ reporter: ada, status: 'Closed', ...more })
    await app.db.prisma.statusChange.create({
      data: { issue_id: issue, actor_id: ada.id, from_status: 'Open', to_status: 'Closed' },
    })
    await app.create.follow({ on: issue, by: ada })
    await app.create.vote({ on: issue, by: ada })

    const { body } = await app.as.anonymous.get(`/users/${ada.id}`)

    expect(body).toEqual({ ...plain, html_url: `http://fixpoint.test/users/${ada.id}`, id: ada.id, name: 'Ada Park' })
  })

  it('allows members of an organisation and Admins to acknowledge', async () => {
    const organization = await app.create.organization()
    const employee = await app.create.user({ memberOf: [{ organization }] })
    const admin = await app.create.user({ role: 'Admin' })
    const may = async (id: number) => ((await app.as.anonymous.get(`/users/${id}`)).body as User).permissions.can_acknowledge

    expect([await may(employee.id), await may(admin.id)]).toEqual([true, true])
  })

  it.each([
    [-1, 'Street Smart'],
    [99, 'Street Smart'],
    [100, 'Civic Pride'],
    [249, 'Civic Pride'],
    [250, 'Civic Crusader'],
    [500, 'Municipal Avenger'],
    [1000, 'Digital Superhero'],
    [2499, 'Digital Superhero'],
    [2500, 'City Fixer'],
  ])('gives %i civic points the title %s', async (civic_points, title) => {
    const { id } = await app.create.user({ civic_points })

    expect((await app.as.anonymous.get(`/users/${id}`)).body).toMatchObject({ civic_points, witty_title: title })
  })

  it.each(['999', '0', '-1', 'ada', '2147483648', '1.5'])('is 404 for %s', async (id) => {
    expect((await app.as.anonymous.get(`/users/${id}`)).status).toBe(404)
  })

  it('is 304 until a number of the user changes', async () => {
    const ada = await createUserWithHistory('Ada Park')
    const path = `/users/${ada.id}`
    const etag = String((await app.as.anonymous.get(path)).headers['etag'])
    const unchanged = await app.as.anonymous.get(path, { 'if-none-match': etag })

    await app.create.issue({ reporter: ada })

    expect(unchanged.status).toBe(304)
    expect((await app.as.anonymous.get(path, { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('GET /profile', () => {
  const app = useApp({ keepRows: true })
  let ada: Awaited<ReturnType<typeof app.create.user>>
  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: passwordHash })
  })

  const profileWith = async (authorization?: string) => {
    const { status, body, headers } = await app.as.anonymous.get('/profile', authorization === undefined ? {} : { authorization })
    return { status, body, headers }
  }
  const basic = (email: string, password: string) => `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`

  it('returns only a null id for an anonymous caller', async () => {
    const { status, body } = await profileWith()

    expect([status, body]).toEqual([200, { id: null }])
  })

  it('returns the user with the settings, by token or password', async () => {
    const shown = (await app.as.anonymous.get(`/users/${ada.id}`)).body as object
    const user = { ...shown, locale: 'en', place_url_name: null, share_location: false, issue_mails: true }

    const byToken = await profileWith(`Bearer ${ada.token}`)
    const byPassword = await profileWith(basic(ada.email.toUpperCase(), PASSWORD))

    expect([byToken.status, byToken.body]).toEqual([200, user])
    expect([byPassword.status, byPassword.body]).toEqual([200, user])
    expect(byToken.headers['cache-control']).toBe('private, no-cache')
  })

  it.each([
    ['a wrong password', () => basic(ada.email, 'wrong horse')],
    ['an unknown address', () => basic('unknown@example.org', PASSWORD)],
    ['a wrong token', () => `Bearer ${ada.token}x`],
    ['no token', () => 'Bearer'],
    ['something else', () => 'Digest abc'],
  ])('returns 401 with %s instead of the anonymous profile', async (_, authorization) => {
    const { status, headers } = await profileWith(authorization())

    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Basic')])
  })
})
