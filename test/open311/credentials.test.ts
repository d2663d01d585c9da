import { describe, expect, it } from 'vitest'

import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { appOn, basic } from '../http/app-on.ts'
import { hashPassword } from '../helpers/hash-password.ts'
import { linkOf, readXml, V2 } from './reader.ts'
import { createWriter, FORM, hole, picture } from './writer.ts'

const app = useApp()
const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
const HTTP = { 'x-forwarded-proto': 'http' }
const WRONG =
  'The key is wrong: send a token of your account as api_key, or as Authorization: Bearer. Passwords and cookies are not accepted.'
const NEEDED = 'This needs a key: send a token of your account as api_key over HTTPS, or as Authorization: Bearer.'
const OVER_HTTP = 'api_key is accepted over HTTPS only: send the token as Authorization: Bearer.'

/** An app behind a proxy that reports the protocol. */
async function service(env: Record<string, string> = {}) {
  const { anonymous, fastify, logged } = await appOn(app.db, { TRUST_PROXY: '1', LOG_LEVEL: 'trace', ...env })
  return { anonymous, fastify, ...createWriter(() => anonymous), logged: () => JSON.stringify(logged) }
}
const reporterOf = async (text: string) => {
  const [{ service_request_id }] = JSON.parse(text) as [{ service_request_id: string }]
  const { reporter_id } = await app.db.prisma.issue.findUniqueOrThrow({ where: { id: Number(service_request_id) } })
  return reporter_id
}

describe('api_key', () => {
  it('authenticates over HTTPS in the query, a form, JSON and multipart, and the response is not cacheable', async () => {
    const ada = await app.create.user()
    const { send, post, postMultipart } = await service()
    const options = { headers: HTTPS }

    const responses = [
      await post(`/requests.json?api_key=${ada.token}`, hole, options),
      await post('/requests.json', { ...hole, api_key: ada.token }, options),
      await post('/requests.json', { ...hole, access_token: ada.token }, options),
      await send('/requests.json', { ...hole, api_key: ada.token }, options),
      await postMultipart('/requests.json', [...Object.entries(hole), ['media', picture()], ['api_key', ada.token]], options),
      await postMultipart('/requests.json', [['api_key', ada.token], ['media', picture()], ...Object.entries(hole)], options),
    ]

    for (const { status, headers, text } of responses) {
      expect([status, headers['cache-control']]).toEqual([status === 201 ? 201 : 200, 'private, no-store'])
      expect(text).not.toContain(ada.token)
    }
    expect(await reporterOf(responses[0]?.text ?? '')).toBe(ada.id)
    const reporters = await app.db.prisma.issue.findMany({ select: { reporter_id: true } })
    expect(reporters).toEqual(Array.from({ length: 6 }, () => ({ reporter_id: ada.id })))
  })

  it('is refused over plain HTTP, where Bearer is accepted', async () => {
    const ada = await app.create.user()
    const { post } = await service()

    const refused = [
      await post(`/requests.json?api_key=${ada.token}`, hole, { headers: HTTP }),
      await post('/requests.json', { ...hole, api_key: ada.token }, { headers: HTTP }),
    ]
    const accepted = await post('/requests.json', hole, { by: ada, headers: HTTP })

    expect(refused.map(({ body }) => body)).toEqual([
      [{ code: 403, description: OVER_HTTP }],
      [{ code: 403, description: OVER_HTTP }],
    ])
    expect(accepted.status).toBe(200)
  })

  it.each([
    ['a wrong key in the query', '/requests.json?api_key=wrong', {}, WRONG],
    ['a wrong key in a form', '/requests.json', { api_key: 'wrong' }, WRONG],
    ['a repeated key', '/requests.json?api_key=a&api_key=b', {}, WRONG],
    ['no key', '/requests.json', {}, NEEDED],
    ['an empty key in the query', '/requests.json?api_key=&access_token=', {}, NEEDED],
    ['an empty key in a form', '/requests.json', { api_key: ' ' }, NEEDED],
  ])('is 403 for %s', async (_, path, fields, description) => {
    const { post } = await service()

    const { status, body, headers } = await post(path, { ...hole, ...fields }, { headers: HTTPS })

    expect([status, body]).toEqual([403, [{ code: 403, description }]])
    expect(headers['www-authenticate']).toBeUndefined()
  })

  it('counts as absent if it is empty', async () => {
    const ada = await app.create.user()
    const organization = await app.create.organization()
    await app.db.prisma.organization.update({ where: { id: organization }, data: { guest_reports: true } })
    const fields = { ...hole, service_code: String(await app.create.requestType({ organization })) }
    const { send, post } = await service()

    const asGuest = [
      await post('/requests.json?api_key=', fields),
      await post('/requests.json', { ...fields, description: 'Lamp', api_key: '' }),
      await send('/requests.json', { ...fields, description: 'Tree', api_key: null }),
    ]
    const withToken = await post('/requests.json?api_key=', { ...hole, api_key: '', access_token: ada.token }, { headers: HTTPS })

    expect([...asGuest, withToken].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await reporterOf(asGuest[0]?.text ?? '')).toBeNull()
    expect(await reporterOf(withToken.text)).toBe(ada.id)
  })

  it('is 403 in XML where that is the format', async () => {
    const { post } = await service()

    const { status, text } = await post('/requests.xml?api_key=wrong', hole, { headers: HTTPS })

    expect([status, readXml(text)]).toEqual([403, { root: 'errors', content: [{ code: '403', description: WRONG }] }])
  })

  it('is never logged, not even with an unexpected error', async () => {
    const ada = await app.create.user()
    const { post, anonymous, logged } = await service()

    await post(`/requests.json?api_key=${ada.token}`, hole, { headers: HTTPS })
    await post('/requests.json', { ...hole, api_key: ada.token, lat: 'x' }, { headers: HTTPS })
    await post('/requests.json?api_key=fxp_wrong_key', { ...hole }, { headers: HTTPS })
    await anonymous.send('GET', `${V2}/requests.json?api_key=${ada.token}`)

    expect(logged()).toContain('request completed')
    expect(logged()).not.toContain(ada.token)
    expect(logged()).not.toContain('fxp_wrong_key')
  })

  it('makes reads uncacheable and stands in none of their links', async () => {
    for (let n = 0; n < 3; n++) await app.create.issue({ created_at: new Date().toISOString() })

    const { headers, status } = await app.as.anonymous.send('GET', `${V2}/requests.json?page_size=1&api_key=not-checked-here`)

    expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(headers['link']).not.toContain('not-checked-here')
  })
})

describe('links to other pages', () => {
  const created_at = new Date().toISOString()
  const createPages = async () => {
    for (let n = 0; n < 3; n++) await app.create.comment({ on: await app.create.issue({ created_at }), created_at })
  }

  it.each(['/requests.json', '/servicerequestupdates.json'])(
    'of %s contain neither credentials nor parameters that the address does not have',
    async (path) => {
      const { token } = await app.create.user()
      await createPages()
      const { anonymous } = await service()
      const query = `?page=2&page_size=1&end_date=&access_token=${token}&api_key=${token}&other=${token}`

      const { headers } = await anonymous.send('GET', `${V2}${path}${query}`, { headers: HTTPS })

      expect(headers['link']).not.toContain(token)
      expect(linkOf(headers['link'], 'next')).toBe(`${V2}${path}?end_date=&page=3&page_size=1`)
      expect(linkOf(headers['link'], 'prev')).toBe(`${V2}${path}?end_date=&page=1&page_size=1`)
    },
  )

  it('of areas contain no credentials', async () => {
    const { token } = await app.create.user()
    const { anonymous } = await service()

    const { text } = await anonymous.send('GET', `${V2}/areas.geojson?after_id=1&api_key=${token}&access_token=${token}`, {
      headers: HTTPS,
    })

    const [self] = (JSON.parse(text) as { links: { href: string }[] }).links
    expect(self?.href).toBe(`${PUBLIC_URL}${V2}/areas.geojson?after_id=1`)
    expect(text).not.toContain(token)
  })

  it.each(['/requests.json', '/servicerequestupdates.json'])('of %s are not longer than URLs may be', async (path) => {
    await createPages()

    const { status, body } = await app.as.anonymous.send('GET', `${V2}${path}?page_size=1&format=${'*'.repeat(3_000)}`)

    expect([status, body]).toEqual([400, [{ code: 400, description: expect.stringMatching(/would exceed 8000/) as string }]])
  })
})

describe('other credentials', () => {
  it('have no effect on writes: Basic is 403, and a session is anonymous', async () => {
    const ada = await app.create.user({ password_hash: await hashPassword('battery staple') })
    const browser = await createLoggedInBrowser(app, ada)
    const { post } = createWriter(() => app.as.anonymous)

    const withPassword = await post('/requests.json', hole, { headers: basic(ada.email, 'battery staple') })
    const withSession = await browser.send('POST', `${V2}/requests.json`, {
      payload: new URLSearchParams(hole).toString(),
      headers: { ...FORM, 'sec-fetch-site': 'same-origin' },
    })

    expect(withPassword.body).toEqual([{ code: 403, description: WRONG }])
    expect([withSession.status, JSON.parse(withSession.text)]).toEqual([403, [{ code: 403, description: NEEDED }]])
    expect(await app.db.prisma.issue.count()).toBe(0)
  })

  it('lets pages of other sites write with a key only', async () => {
    const ada = await app.create.user()
    const organization = await app.create.organization()
    await app.db.prisma.organization.update({ where: { id: organization }, data: { guest_reports: true } })
    const type = await app.create.requestType({ organization })
    const { post } = createWriter(() => app.as.anonymous)
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    const fields = { ...hole, service_code: String(type) }

    expect((await post('/requests.json', fields, { by: ada, headers })).status).toBe(200)
    expect((await post('/requests.json', fields, { headers })).status).toBe(403)
    expect((await post('/requests.json', fields)).status).toBe(200)
  })
})

describe('the share of the API', () => {
  it('is the one of writes too', async () => {
    const ada = await app.create.user()
    const { anonymous, post } = await service({ RATE_LIMIT: '2' })
    const headers = { authorization: `Bearer ${ada.token}`, ...HTTPS }

    const first = await post('/requests.json', hole, { headers })
    const second = await anonymous.get('/profile', headers)
    const third = await post('/requests.json', hole, { headers })

    expect([first.status, second.status, third.status]).toEqual([200, 200, 429])
    expect(third.body).toEqual([{ code: 429, description: expect.stringContaining('Too many requests') as string }])
  })

  it('counts wrong keys against the client', async () => {
    const { post } = await service({ RATE_LIMIT: '2' })

    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await post(`/requests.json?api_key=wrong${n}`, hole, { headers: HTTPS })).status)

    expect(statuses).toEqual([403, 403, 429])
  })
})
