import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createCredentialCheck, hashPassword, hashToken } from '../../../src/http/identity/credentials.ts'
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

describe('credentials', () => {
  test('may be left out for reading', async () => {
    expect(await whoIs({})).toBeNull()
  })

  test('are HTTP Basic with any e-mail address of the account, in any case, confirmed or not', async () => {
    await app.db.prisma.email.create({ data: { user_id: ada.id, email: 'Second@Example.org' } })

    expect(await whoIs(basic(ada.email, PASSWORD))).toBe(ada.id)
    expect(await whoIs(basic(ada.email.toUpperCase(), PASSWORD))).toBe(ada.id)
    expect(await whoIs(basic('second@example.org', PASSWORD))).toBe(ada.id)
  })

  test('take a password as the same text however its letters are composed', async () => {
    expect(await whoIs(basic(ada.email, PASSWORD.normalize('NFD')))).toBe(ada.id)
  })

  test('are a Bearer token, whatever the case of the scheme', async () => {
    expect(await whoIs(bearer(ada.token))).toBe(ada.id)
    expect(await whoIs({ authorization: `bearer ${ada.token}` })).toBe(ada.id)
    expect(await whoIs({ authorization: `BEARER   ${ada.token}` })).toBe(ada.id)
  })

  test.each([
    ['a wrong password', () => basic(ada.email, 'wrong')],
    ['an unknown address', () => basic('nobody@example.org', PASSWORD)],
    ['an empty password', () => basic(ada.email, '')],
    ['a user name only', () => ({ authorization: `Basic ${Buffer.from(ada.email).toString('base64')}` })],
    ['broken base64', () => ({ authorization: 'Basic !!!' })],
    ['Basic without a value', () => ({ authorization: 'Basic' })],
    ['a NUL in the address', () => basic(`${ada.email}\0`, PASSWORD)],
    ['a very long pair', () => basic(ada.email, 'x'.repeat(2_000))],
    ['an unknown token', () => bearer('fxp_unknown')],
    ['a token with Basic', () => ({ authorization: `Basic ${ada.token}` })],
    ['two tokens', () => ({ authorization: `Bearer ${ada.token} ${ada.token}` })],
    ['a scheme that we do not know', () => ({ authorization: 'Digest username="ada"' })],
    ['an empty header', () => ({ authorization: '' })],
  ])('are refused with 401 and a challenge, on reads as well, for %s', async (_, headers) => {
    const answer = await app.as.anonymous.get('/issues', headers())

    expect(answer).toMatchObject({ status: 401, body: { message: 'These credentials are not right.' } })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="fixpoint", Basic realm="fixpoint", charset="UTF-8"$/)
  })

  test('do not tell whether an address has an account, by words or by work', async () => {
    await app.create.user({ name: 'Placeholder' })
    const { email: withoutPassword } = await app.create.user({ name: 'No Password' })
    const verify = vi.fn(async () => false)
    const { byPassword } = createCredentialCheck(app.db, verify)

    for (const email of [ada.email, 'nobody@example.org', withoutPassword]) await byPassword(email, 'guess')
    const bodies = await Promise.all(
      [ada.email, 'nobody@example.org', withoutPassword].map(async (email) => {
        const { body } = await app.as.anonymous.get('/issues', basic(email, 'guess'))
        return { ...(body as object), request_id: '' }
      }),
    )

    expect(verify).toHaveBeenCalledTimes(3)
    expect(new Set(verify.mock.calls.map(([hash]: unknown[]) => String(hash).split('$').slice(0, 4).join('$'))).size).toBe(1)
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })

  test('never let an account without a password in', async () => {
    const { email } = await app.create.user({ name: 'Placeholder' })
    const { byPassword } = createCredentialCheck(app.db, async () => true)

    expect(await byPassword(email, 'anything')).toBeUndefined()
  })
})

describe('a token', () => {
  const expiring = (expires_at: Date | null) =>
    app.db.prisma.token.create({ data: { user_id: ada.id, token_hash: hashToken('fxp_other'), expires_at } })

  test('is good until it expires', async () => {
    await expiring(new Date(Date.now() + 60_000))
    const before = await whoIs(bearer('fxp_other'))
    await app.db.prisma.token.updateMany({ data: { expires_at: new Date(Date.now() - 1) } })

    expect(before).toBe(ada.id)
    expect(await whoIs(bearer('fxp_other'))).toBe(401)
  })

  test('of a session opens nothing as a Bearer token', async () => {
    await app.db.prisma.token.create({ data: { user_id: ada.id, token_hash: hashToken('fxp_session'), kind: 'session' } })

    expect(await whoIs(bearer('fxp_session'))).toBe(401)
  })
})

describe('a right pair', () => {
  test('is verified once and then remembered for a minute', async () => {
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

  test('is remembered for this very password only', async () => {
    const { byPassword, findCached } = createCredentialCheck(app.db, async () => true)
    await byPassword(ada.email, PASSWORD)

    expect(await findCached(ada.email, `${PASSWORD}!`)).toBeUndefined()
  })

  test('is forgotten at once when the credentials change', async () => {
    await whoIs(basic(ada.email, PASSWORD))
    const changed = await hashPassword('another one')
    await app.db.execute(
      sql`UPDATE users SET password_hash = ${changed}, credentials_version = credentials_version + 1 WHERE id = ${ada.id}`,
    )

    expect(await whoIs(basic(ada.email, PASSWORD))).toBe(401)
    expect(await whoIs(basic(ada.email, 'another one'))).toBe(ada.id)
  })

  test('is not remembered where the credentials changed while it was verified', async () => {
    const { byPassword, findCached } = createCredentialCheck(app.db, async () => {
      await app.db.execute(sql`UPDATE users SET credentials_version = credentials_version + 1 WHERE id = ${ada.id}`)
      return true
    })
    await byPassword(ada.email, PASSWORD)

    expect(await findCached(ada.email, PASSWORD)).toBeUndefined()
  })

  test('shows new rights at once', async () => {
    await whoIs(basic(ada.email, PASSWORD))
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { role: 'Admin' } })

    const { body } = await app.as.anonymous.get('/profile', basic(ada.email, PASSWORD))

    expect(body).toMatchObject({ role: 'Admin' })
  })
})

describe('a User-Agent', () => {
  test.each([
    ['missing', { 'user-agent': '' }],
    ['blank', { 'user-agent': ' \t ' }],
  ])('that is %s is refused under /api/v2, known addresses or not', async (_, headers) => {
    const message = 'Every request must carry a User-Agent header that says what client it is.'

    expect(await app.as.anonymous.get('/issues', headers)).toMatchObject({ status: 403, body: { message } })
    expect(await app.as.anonymous.get('/nothing', headers)).toMatchObject({ status: 403, body: { message } })
  })

  test('is asked for nowhere else', async () => {
    const answers = await Promise.all(
      ['/health/live', '/health/ready', '/docs/json', '/files/icons/avatar.svg'].map((url) =>
        app.as.anonymous.send('GET', url, { headers: { 'user-agent': '' } }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})
