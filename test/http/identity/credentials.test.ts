import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createCredentialCheck, hashToken } from '../../../src/http/identity/credentials.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { useApp } from '../../helpers/use-app.ts'
import { basic, bearer } from '../app-on.ts'

const app = useApp()

const PASSWORD = 'pa:ss wörd ✓'
let ada: { id: number; email: string; token: string }

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
})

const whoIs = async (headers: Record<string, string>, path = '/profile') => {
  const { status, body } = await app.as.anonymous.get(path, headers)
  return status === 200 ? (body as { id: number | null }).id : status
}

describe('authentication', () => {
  it('allows anonymous reads', async () => {
    expect(await whoIs({})).toBeNull()
  })

  it('accepts HTTP Basic with any e-mail address of the account, in any case, confirmed or not', async () => {
    await app.db.prisma.emailAddress.create({ data: { user_id: ada.id, email: 'Second@Example.org' } })

    expect(await whoIs(basic(ada.email, PASSWORD))).toBe(ada.id)
    expect(await whoIs(basic(ada.email.toUpperCase(), PASSWORD))).toBe(ada.id)
    expect(await whoIs(basic('second@example.org', PASSWORD))).toBe(ada.id)
  })

  it('normalizes Unicode in passwords', async () => {
    expect(await whoIs(basic(ada.email, PASSWORD.normalize('NFD')))).toBe(ada.id)
  })

  it('accepts a Bearer token with the scheme in any case', async () => {
    expect(await whoIs(bearer(ada.token))).toBe(ada.id)
    expect(await whoIs({ authorization: `bearer ${ada.token}` })).toBe(ada.id)
    expect(await whoIs({ authorization: `BEARER   ${ada.token}` })).toBe(ada.id)
  })

  it.each([
    ['a wrong password', () => basic(ada.email, 'wrong')],
    ['an unknown address', () => basic('unknown@example.org', PASSWORD)],
    ['an empty password', () => basic(ada.email, '')],
    ['a user name only', () => ({ authorization: `Basic ${Buffer.from(ada.email).toString('base64')}` })],
    ['broken base64', () => ({ authorization: 'Basic !!!' })],
    ['Basic without a value', () => ({ authorization: 'Basic' })],
    ['a NUL in the address', () => basic(`${ada.email}\0`, PASSWORD)],
    ['very long credentials', () => basic(ada.email, 'x'.repeat(2_000))],
    ['an unknown token', () => bearer('fxp_unknown')],
    ['a token with Basic', () => ({ authorization: `Basic ${ada.token}` })],
    ['two tokens', () => ({ authorization: `Bearer ${ada.token} ${ada.token}` })],
    ['an unknown scheme', () => ({ authorization: 'Digest username="ada"' })],
    ['an empty header', () => ({ authorization: '' })],
  ])('returns 401 with a challenge, on reads as well, for %s', async (_, headers) => {
    const answer = await app.as.anonymous.get('/issues', headers())

    expect(answer).toMatchObject({ status: 401, body: { message: 'The credentials are wrong: check them and try again.' } })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="fixpoint", Basic realm="fixpoint", charset="UTF-8"$/)
  })

  it('does not reveal by text or timing whether an address has an account', async () => {
    await app.create.user({ name: 'Placeholder' })
    const { email: withoutPassword } = await app.create.user({ name: 'No Password' })
    const verify = vi.fn(async () => false)
    const { byPassword } = createCredentialCheck(app.db, verify)

    for (const email of [ada.email, 'unknown@example.org', withoutPassword]) await byPassword(email, 'guess')
    const bodies = await Promise.all(
      [ada.email, 'unknown@example.org', withoutPassword].map(async (email) => {
        const { body } = await app.as.anonymous.get('/issues', basic(email, 'guess'))
        return { ...(body as object), request_id: '' }
      }),
    )

    expect(verify).toHaveBeenCalledTimes(3)
    expect(new Set(verify.mock.calls.map(([hash]: unknown[]) => String(hash).split('$').slice(0, 4).join('$'))).size).toBe(1)
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })

  it('refuses every password of an account without a password', async () => {
    const { email } = await app.create.user({ name: 'Placeholder' })
    const { byPassword } = createCredentialCheck(app.db, async () => true)

    expect(await byPassword(email, 'anything')).toBeUndefined()
  })
})

describe('API tokens', () => {
  const expiring = (expires_at: Date | null) =>
    app.db.prisma.token.create({ data: { user_id: ada.id, token_hash: hashToken('fxp_other'), expires_at } })

  it('are valid until they expire', async () => {
    await expiring(new Date(Date.now() + 60_000))
    const before = await whoIs(bearer('fxp_other'))
    await app.db.prisma.token.updateMany({ data: { expires_at: new Date(Date.now() - 1) } })

    expect(before).toBe(ada.id)
    expect(await whoIs(bearer('fxp_other'))).toBe(401)
  })

  it('exclude session secrets', async () => {
    await app.db.prisma.token.create({ data: { user_id: ada.id, token_hash: hashToken('fxp_session'), kind: 'session' } })

    expect(await whoIs(bearer('fxp_session'))).toBe(401)
  })
})

describe('the credential cache', () => {
  it('verifies a password once a minute', async () => {
    const verify = vi.fn(async () => true)
    const { byPassword, findCached } = createCredentialCheck(app.db, verify)
    const unknown = await findCached(ada.email, PASSWORD)
    await byPassword(ada.email, PASSWORD)

    const remembered = await findCached(ada.email, PASSWORD)
    // The cache reads the clock once in a millisecond.
    await setTimeout(5)
    const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001)
    const forgotten = await findCached(ada.email, PASSWORD)
    later.mockRestore()

    expect(unknown).toBeUndefined()
    expect(remembered).toMatchObject({ id: ada.id })
    expect(forgotten).toBeUndefined()
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('caches only the verified password', async () => {
    const { byPassword, findCached } = createCredentialCheck(app.db, async () => true)
    await byPassword(ada.email, PASSWORD)

    expect(await findCached(ada.email, `${PASSWORD}!`)).toBeUndefined()
  })

  it('is invalid as soon as the credentials change', async () => {
    await whoIs(basic(ada.email, PASSWORD))
    const changed = await hashPassword('another one')
    await app.db.execute(
      sql`UPDATE users SET password_hash = ${changed}, credentials_version = credentials_version + 1 WHERE id = ${ada.id}`,
    )

    expect(await whoIs(basic(ada.email, PASSWORD))).toBe(401)
    expect(await whoIs(basic(ada.email, 'another one'))).toBe(ada.id)
  })

  it('stores nothing if the credentials change during the verification', async () => {
    const { byPassword, findCached } = createCredentialCheck(app.db, async () => {
      await app.db.execute(sql`UPDATE users SET credentials_version = credentials_version + 1 WHERE id = ${ada.id}`)
      return true
    })
    await byPassword(ada.email, PASSWORD)

    expect(await findCached(ada.email, PASSWORD)).toBeUndefined()
  })

  it('returns new permissions at once', async () => {
    await whoIs(basic(ada.email, PASSWORD))
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { role: 'Admin' } })

    const { body } = await app.as.anonymous.get('/profile', basic(ada.email, PASSWORD))

    expect(body).toMatchObject({ role: 'Admin' })
  })
})

describe('User-Agent', () => {
  it.each([
    ['missing', { 'user-agent': '' }],
    ['blank', { 'user-agent': ' \t ' }],
  ])('returns 403 under /api/v2 if it is %s, on known and unknown paths', async (_, headers) => {
    const message = 'Every request needs a User-Agent header that names the client.'

    expect(await app.as.anonymous.get('/issues', headers)).toMatchObject({ status: 403, body: { message } })
    expect(await app.as.anonymous.get('/nothing', headers)).toMatchObject({ status: 403, body: { message } })
  })

  it('is optional outside the API', async () => {
    const answers = await Promise.all(
      ['/health/live', '/health/ready', '/docs/json', '/files/icons/avatar.svg'].map((url) =>
        app.as.anonymous.send('GET', url, { headers: { 'user-agent': '' } }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})
