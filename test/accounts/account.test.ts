import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { GREEN, type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { basic, bearer } from '../http/app-on.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const fields = {
  name: ' Ada Park ',
  email: 'ada@example.org',
  password: 'correct horse',
  password_confirmation: 'correct horse',
  accept_terms: true,
}
const register = (body: object, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('POST', '/api/v2/users', { body, headers })
const change = (body: object, headers: Record<string, string>) => app.as.anonymous.send('PUT', '/api/v2/profile', { body, headers })
const rows = () => queryRows(app.db, sql`SELECT u.name, u.locale, u.home_place_id, u.share_location FROM users u ORDER BY u.id`)
const emails = () => queryRows(app.db, sql`SELECT e.email, e.confirmed_at FROM email_addresses e ORDER BY e.id`)

describe('POST /users', () => {
  it('creates an account that can log in immediately, with an unconfirmed address', async () => {
    const answer = await register(fields)

    expect(answer).toMatchObject({
      status: 201,
      body: { id: 1, name: 'Ada Park', role: 'Registered User', civic_points: 0, permissions: { can_acknowledge: false } },
    })
    expect(answer.headers['location']).toBe('http://fixpoint.test/api/v2/users/1')
    expect(answer.text).not.toMatch(/example\.org|horse/)
    expect((await app.as.anonymous.get('/profile', basic('ADA@example.org', fields.password))).body).toMatchObject({ id: 1 })
    expect(await emails()).toEqual([{ email: 'ada@example.org', confirmed_at: null }])
    expect(await rows()).toEqual([{ name: 'Ada Park', locale: 'en', home_place_id: null, share_location: false }])
  })

  it('accepts a form with a home place, and prefers its locale to the language of the client', async () => {
    const place = await app.create.place({ url_name: 'new-haven', boundary: square(GREEN) })
    const form = new URLSearchParams({ ...fields, accept_terms: 'true', place_url_name: 'new-haven' }).toString()

    const ofForm = await app.as.anonymous.send('POST', '/api/v2/users', {
      body: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'pt-BR, en;q=0.5' },
    })
    await register({ ...fields, email: 'b@example.org', locale: 'es' }, { 'accept-language': 'de' })

    expect(ofForm.status).toBe(201)
    expect(await rows()).toMatchObject([
      { locale: 'pt-BR', home_place_id: place.id },
      { locale: 'es', home_place_id: null },
    ])
  })

  it.each([null, '', ' '])('accepts %j as no home place', async (place_url_name) => {
    expect((await register({ ...fields, place_url_name })).status).toBe(201)
    expect(await rows()).toMatchObject([{ name: 'Ada Park', home_place_id: null }])
  })

  it('creates one account per Idempotency-Key and repeats the 201', async () => {
    const key = { 'idempotency-key': '0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40' }
    const first = await register(fields, key)
    await app.db.execute(sql`
      UPDATE idempotency_keys SET status = NULL, headers = NULL, body = NULL, leased_until = now() - interval '1 second'`)

    const again = await register(fields, key)

    expect([again.status, again.text, again.headers['location']]).toEqual([201, first.text, first.headers['location']])
    expect(await rows()).toHaveLength(1)
  })

  it('returns errors of the database together with errors of the schema', async () => {
    const wrong = { name: 'Al', password_confirmation: 'another', place_url_name: 'atlantis' }

    expect(await register({ ...fields, ...wrong })).toMatchObject({
      status: 422,
      body: {
        errors: {
          name: ['must be a text of 3 to 40 characters'],
          password_confirmation: ['must be the same as the password'],
          place_url_name: ['must be the name of a place, as in its address'],
        },
      },
    })
    expect(await rows()).toEqual([])
  })

  it('returns 422 with all invalid fields at once and creates nothing', async () => {
    expect(await register({ name: ' A ', email: 'ada', password: 'abc', accept_terms: false, place_url_name: 7 })).toMatchObject({
      status: 422,
      body: {
        errors: {
          name: ['must be a text of 3 to 40 characters'],
          email: ['must be an e-mail address'],
          password: ['must be a text of 4 to 40 characters'],
          password_confirmation: ['is required: the same password again'],
          accept_terms: ['must be true'],
          place_url_name: ['must be the name of a place, as in its address'],
        },
      },
    })
    expect(await rows()).toEqual([])
  })

  it.each([
    [{ password_confirmation: 'other' }, { password_confirmation: ['must be the same as the password'] }],
    [{ place_url_name: 'nowhere' }, { place_url_name: ['must be the name of a place, as in its address'] }],
    [{ name: 'x'.repeat(41) }, { name: ['must be a text of 3 to 40 characters'] }],
    [{ name: '\u200b\u3164\u202e\u200b' }, { name: ['must be a text of 3 to 40 characters'] }],
    [{ password: 'x'.repeat(41) }, { password: ['must be a text of 4 to 40 characters'] }],
    [{ locale: 'klingonisch' }, { locale: ['must be a language tag such as en or pt-BR'] }],
  ])('returns 422 for %j', async (wrong, errors) => {
    expect(await register({ ...fields, ...wrong })).toMatchObject({ status: 422, body: { errors } })
    expect(await rows()).toEqual([])
  })

  it('returns 422 for an address that another account has confirmed, in any letter case', async () => {
    await register(fields)
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() RETURNING id`)
    const requests = ['ada@example.org', 'Ada@Example.org', ' ADA@EXAMPLE.ORG '].map((email) => register({ ...fields, email }))

    const answers = await Promise.all(requests)

    const taken = { errors: { email: ['cannot be added: use another address, or log in if this one is yours'] } }
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([422, taken]))
    expect((await rows()).length).toBe(1)
  })
})

describe('PUT /profile', () => {
  let ada: TestUser
  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(fields.password) })
  })

  it.each([
    [{}, undefined],
    [{ 'content-type': 'application/json' }, undefined],
    [{ 'content-type': 'application/json' }, 'null'],
  ])('changes nothing without a body, with the headers %j and the text %j', async (headers, body) => {
    const answer = await app.as.user(ada).send('PUT', '/api/v2/profile', { headers, body })

    expect(answer).toMatchObject({ status: 200, body: { id: ada.id, name: 'Ada Park' } })
  })

  it('returns a wrong current password and invalid characters together with all other errors', async () => {
    const wrong = {
      name: 'A\ud83d',
      password: 'new pass',
      password_confirmation: 'zzz',
      current_password: 'wrong',
      place_url_name: 'zzz',
    }

    expect(await change(wrong, bearer(ada.token))).toMatchObject({
      status: 422,
      body: {
        errors: {
          name: [expect.stringContaining('unpaired surrogate')],
          password_confirmation: ['must be the same as the password'],
          current_password: ['must be your current password: you need it to set a new one'],
          place_url_name: ['must be the name of a place, as in its address'],
        },
      },
    })
    expect(await change({ place_url_name: 'a\0b', locale: '?' }, bearer(ada.token))).toMatchObject({
      status: 422,
      body: { errors: { place_url_name: [expect.stringContaining('U+0000')], locale: [expect.any(String)] } },
    })
  })

  it('accepts the same values of accept_terms as the registration', async () => {
    expect(await change({ accept_terms: true }, bearer(ada.token))).toMatchObject({ status: 200 })
    expect(await change({ accept_terms: 'banana' }, bearer(ada.token))).toMatchObject({
      status: 422,
      body: { errors: { accept_terms: ['must be true'] } },
    })
  })

  it('changes only the fields that are present', async () => {
    const before = (await rows())[0] as object

    const answer = await change(
      { name: 'Ada Lovelace', share_location: true, role: 'Admin', civic_points: 9_999 },
      bearer(ada.token),
    )

    expect(answer).toMatchObject({
      status: 200,
      body: { id: ada.id, name: 'Ada Lovelace', role: 'Registered User', civic_points: 0 },
    })
    expect(await rows()).toEqual([{ ...before, name: 'Ada Lovelace', share_location: true }])
  })

  it('ends the old password and all other tokens', async () => {
    const { token } = (
      await app.as.anonymous.send('POST', '/api/v2/tokens', { headers: basic(ada.email, fields.password), body: {} })
    ).body as { token: string }
    const next = { password: 'battery staple', password_confirmation: 'battery staple' }

    const answer = await change({ ...next, current_password: fields.password }, bearer(ada.token))

    expect(answer.status).toBe(200)
    const requests = [bearer(ada.token), bearer(token), basic(ada.email, fields.password), basic(ada.email, next.password)]
    const answers = await Promise.all(requests.map((headers) => app.as.anonymous.get('/profile', headers)))
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 200])
  })

  it.each([
    [{ password: 'battery', password_confirmation: 'battery' }, 'current_password'],
    [{ password: 'battery', password_confirmation: 'battery', current_password: 'wrong' }, 'current_password'],
    [{ password: 'battery', current_password: 'correct horse' }, 'password_confirmation'],
    [{ name: '' }, 'name'],
    [{ share_location: 'maybe' }, 'share_location'],
    [{ place_url_name: 'nowhere' }, 'place_url_name'],
  ])('returns 422 for %j, and changes nothing', async (body, field) => {
    const answer = await change(body, bearer(ada.token))

    expect(answer.status).toBe(422)
    expect(Object.keys((answer.body as { errors: object }).errors)).toEqual([field])
    expect((await app.as.anonymous.get('/profile', basic(ada.email, fields.password))).body).toMatchObject({ name: 'Ada Park' })
  })

  it.each([{ place_url_name: null }, { place_url_name: '' }, { place_url_name: '  ' }])(
    'unsets the home place by %j',
    async (none) => {
      await app.create.place({ url_name: 'denver' })
      await change({ place_url_name: 'denver' }, bearer(ada.token))

      const unchanged = await change({ name: 'Ada Hill' }, bearer(ada.token))
      const unset = await change(none, bearer(ada.token))

      expect([unchanged, unset].map(({ status, body }) => [status, (body as { place_url_name: unknown }).place_url_name])).toEqual([
        [200, 'denver'],
        [200, null],
      ])
    },
  )

  it('returns 422 for a short password of an employee', async () => {
    const password_hash = await hashPassword('correct horse')
    const eve = await app.create.user({ password_hash, memberOf: [{ organization: await app.create.organization() }] })
    const short = { password: 'seven 7', password_confirmation: 'seven 7', current_password: 'correct horse' }

    const [employee, resident] = [await change(short, bearer(eve.token)), await change(short, bearer(ada.token))]

    expect([employee.status, employee.body]).toEqual([422, { errors: { password: ['must be a text of 8 to 64 characters'] } }])
    expect(resident.body).not.toHaveProperty('errors.password')
  })

  it('adds an unconfirmed address, and gives the same error for every address that is taken', async () => {
    const ben = await app.create.user()

    const added = await change({ email: 'ada@work.example' }, bearer(ada.token))
    const refused = [await change({ email: ben.email }, bearer(ada.token)), await change({ email: ada.email }, bearer(ada.token))]

    expect(added.status).toBe(200)
    expect(await emails()).toContainEqual({ email: 'ada@work.example', confirmed_at: null })
    expect(refused[0]?.body).toEqual(refused[1]?.body)
    expect(refused.map(({ status }) => status)).toEqual([422, 422])
  })

  it('returns 422 with a login error for an anonymous caller, for every body', async () => {
    const answer = await change({ name: '' }, {})

    expect(answer).toMatchObject({
      status: 422,
      body: { errors: { login: 'You must be logged in: send HTTP Basic or a Bearer token.' } },
    })
  })
})
