import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { createWebhook } from './receiver.ts'

describe('the owners of webhooks', () => {
  const app = useApp({ env: { FORWARD_ALLOW: '127.0.0.0/8' } })
  const url = 'https://example.org/hook'

  it('are an account, or an organisation for those who may manage it; others do not know that it exists', async () => {
    const { as, create } = app
    const organization = await create.organization({})
    const owner = await create.user({ memberOf: [{ organization, role: 'owner' }] })
    const employee = await create.user({ memberOf: [{ organization }] })
    const other = await create.user()
    const own = await createWebhook(app, owner, { url })
    const shared = await createWebhook(app, owner, { url, organization_id: organization })

    const refused = await as.user(employee).send('POST', '/api/v2/webhooks', { body: { url, organization_id: organization } })
    const listOf = async (person: typeof owner) =>
      ((await as.user(person).get('/webhooks')).body as { webhooks: { id: number }[] }).webhooks.map(({ id }) => id)
    const seen = await Promise.all(
      [own, shared].flatMap(({ id }) =>
        [owner, employee, other].map(async (person) => (await as.user(person).get(`/webhooks/${id}`)).status),
      ),
    )

    expect(refused.status).toBe(403)
    expect([await listOf(owner), await listOf(employee), await listOf(other)]).toEqual([[own.id, shared.id], [], []])
    expect(seen).toEqual([200, 404, 404, 200, 404, 404])
    expect((await as.anonymous.get('/webhooks')).status).toBe(401)
  })

  it.each([
    [{ url: 'ftp://example.org' }, 'url'],
    [{ url: 'https://[' }, 'url'],
    [{ url: 'https://user:password@example.org/' }, 'url'],
    [{ url: 'https://user@example.org/' }, 'url'],
    [{ url: 'https:///user:password@example.org/' }, 'url'],
    [{ url, query: 'tiles=12' }, 'tiles'],
    [{ url, query: 'page=2' }, 'page'],
    [{ url, query: 'per_page=5' }, 'per_page'],
    [{ url, query: 'sort=rating' }, 'sort'],
    [{ url, query: 'details=true' }, 'details'],
    [{ url, query: 'fields[issue]=id' }, 'fields[issue]'],
    [{ url, query: 'since=x' }, 'since'],
    [{ url, query: 'wait=20' }, 'wait'],
    [{ url, query: 'format=geojsonl' }, 'format'],
    [{ url, query: '__proto__=1' }, '__proto__'],
    [{ url, query: 'place_url=%00' }, 'place_url'],
    [{ url, query: 'search=a%00b' }, 'search'],
    [{ url, query: 'lat=39.7&lng=-104.9' }, 'lat'],
    [{ url, query: 'lat=39.7&lng=-104.9&radius=500&min_lat=39&min_lng=-105&max_lat=40&max_lng=-104' }, 'radius'],
    [{ url: 'https://example.org:99999/' }, 'url'],
    [{ url, query: 'place_url=nowhere' }, 'place_url'],
    [{ url, query: 'plcae_url=denver' }, 'plcae_url'],
    [{ url, query: 'min_lat=1' }, 'min_lng'],
    [{ url, query: 'assigned_to_me=true' }, 'assigned_to_me'],
    [{ url, query: 'status=opened' }, 'status'],
    [{ url, kinds: [] }, 'kinds'],
    [{ url, secret: 'short' }, 'secret'],
    [{ url, secret: `whsec_${'A'.repeat(33)}` }, 'secret'],
    [{ url, secret: `whsec_${'A'.repeat(34)}` }, 'secret'],
    [{ url, secret: `whsec_${'A'.repeat(87)}=` }, 'secret'],
    [{ url, organization_id: 'x' }, 'organization_id'],
  ])('get a clear error for %j', async (body, field) => {
    const owner = await app.create.user()

    const response = await app.as.user(owner).send('POST', '/api/v2/webhooks', { body })

    expect(response.status).toBe(422)
    expect(Object.keys(response.body as object)).toContain(field)
  })

  it.each([
    [
      'tiles=12',
      { tiles: expect.stringMatching(/^is no parameter that a webhook may have; a webhook may have lat, .*, assigned$/) as string },
    ],
    ['zoom=50&lat=1&lng=1', { zoom: 'must be a number from 0 to 22' }],
    ['status=opened', { status: 'must be a comma-separated list of open, acknowledged, closed, archived' }],
  ])('learn what is allowed instead of %s, also with a change', async (query, expected) => {
    const owner = await app.create.user()
    const { id } = await createWebhook(app, owner, { url })

    const response = await app.as.user(owner).send('PUT', `/api/v2/webhooks/${id}`, { body: { query } })

    expect([response.status, response.body]).toEqual([422, expected])
  })

  it('see no password of an address that was accepted before', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const { id } = await createWebhook(app, owner, { url })
    const [script = ''] = globSync('prisma/migrations/*_webhook_credentials/migration.sql')
    const read = async (stored: string) => {
      await db.prisma.webhook.update({ where: { id }, data: { url: stored } })
      await db.prisma.$executeRawUnsafe(readFileSync(script, 'utf8'))
      return ((await as.user(owner).get(`/webhooks/${id}`)).body as { url: string }).url
    }

    expect(await read('https://user:p@ss@example.org/hook?a=b@c')).toBe('https://example.org/hook?a=b@c')
    expect(await read('http:///user:password@example.org')).toBe('http:///example.org')
    expect(await read('https://example.org/@hook')).toBe('https://example.org/@hook')
  })

  it('have at most 20 each, and a confirmed address', async () => {
    const { as, create } = app
    const owner = await create.user()
    for (let n = 0; n < 20; n++) await createWebhook(app, owner, { url })
    const unconfirmed = await create.user()
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: unconfirmed.id }, data: { confirmed_at: null } })

    const answers = await Promise.all(
      [owner, unconfirmed].map((one) => as.user(one).send('POST', '/api/v2/webhooks', { body: { url } })),
    )

    expect(answers.map(({ status, body }) => [status, Object.keys(body as object)])).toEqual([
      [422, ['base']],
      [422, ['base']],
    ])
  })

  it('see the secret only once', async () => {
    const { as, create } = app
    const owner = await create.user()
    const { id, secret } = await createWebhook(app, owner, { url, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })

    expect(secret).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    for (const path of ['/webhooks', `/webhooks/${id}`]) expect((await as.user(owner).get(path)).text).not.toContain('whsec_')
  })

  it('learn that a private address is refused, from the test', async () => {
    const { as, create } = app
    const owner = await create.user()
    const { id } = await createWebhook(app, owner, { url: 'https://10.0.0.1/hook' })

    expect((await as.user(owner).send('POST', `/api/v2/webhooks/${id}/test`)).body).toEqual({
      delivered: false,
      response_status: null,
      error: 'the host of the endpoint has a private address that is not in FORWARD_ALLOW',
    })
  })

  it('take their webhooks with them: a deleted account has none', async () => {
    const { create, db } = app
    const owner = await create.user()
    await createWebhook(app, owner, { url })
    await db.prisma.user.delete({ where: { id: owner.id } })

    expect(await db.prisma.webhook.count()).toBe(0)
  })
})
