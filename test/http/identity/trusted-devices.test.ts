import { describe, expect, it } from 'vitest'

import { sweep } from '../../jobs/sweep.ts'
import { sql } from '../../../src/database/database.ts'
import { hashToken } from '../../../src/http/identity/credentials.ts'
import { FAILURES_FREE_MAX } from '../../../src/http/login-throttle/login-throttle.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { bearer } from '../app-on.ts'
import {
  attack,
  createCountedCheck,
  enter,
  FORM,
  from,
  attemptLogin,
  OWNER_ADDRESS,
  PASSWORD,
  newAddress,
  startProcess,
} from '../login-throttle/attempts.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()
const counted = () => createCountedCheck(app.db)
const process = (replace = {}, env = {}) => startProcess(app.db, replace, env)
const createAda = () => app.create.user({ name: 'Ada Park', password_hash: 'any' })

describe('trusted devices', () => {
  it('log in from a trusted address during an attack, also after a restart and at another process', async () => {
    const ada = await createAda()
    const before = await process({ credentials: counted().credentials })
    await enter(before, ada.email, from(OWNER_ADDRESS))
    const after = await process({ credentials: counted().credentials })
    await attack(after, ada.email, FAILURES_FREE_MAX + 5)

    expect((await enter(after, ada.email, from('192.0.2.99'))).status).toBe(429)
    expect((await enter(after, ada.email, from(OWNER_ADDRESS))).status).toBe(200)
    expect((await attemptLogin(after, ada.email, from(OWNER_ADDRESS))).status).toBe(401)
    expect((await enter(after, ada.email, from(OWNER_ADDRESS))).status).toBe(200)
  })

  it.each(['/api/v2/users', '/register'])('include the address of the registration: POST %s', async (url) => {
    const one = await process({ credentials: counted().credentials })
    const body = `name=Eva Sol&email=eva@example.org&password=${PASSWORD}&password_confirmation=${PASSWORD}&accept_terms=true`
    const headers = { ...FORM, ...from(OWNER_ADDRESS), 'sec-fetch-site': 'same-origin' }
    const { status } = await one.anonymous.send('POST', url, { body, headers })
    await attack(one, 'eva@example.org', FAILURES_FREE_MAX + 5)

    expect([201, 303]).toContain(status)
    expect((await enter(one, 'eva@example.org', from('192.0.2.99'))).status).toBe(429)
    expect((await enter(one, 'eva@example.org', from(OWNER_ADDRESS))).status).toBe(200)
  })

  it('log in from any address with the device cookie, but not with a forged one', async () => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    const browser = createBrowser(one.fastify)
    const logIn = (headers: Record<string, string>) =>
      browser.post('/login', { email: ada.email, password: PASSWORD }, { 'sec-fetch-site': 'same-origin', ...headers })
    await logIn(from(OWNER_ADDRESS))
    await browser.post('/logout')
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)

    const onTheWay = await logIn(from('192.0.2.44'))
    await browser.post('/logout')
    browser.jar.set('fixpoint_device', 'x'.repeat(43))
    const strange = await logIn(from('192.0.2.45'))

    expect(onTheWay.status).toBe(303)
    expect(strange.status).toBe(429)
    expect(strange.visibleText).toContain('Too many requests: try again in')
  })

  it('can use tokens and sessions and change the password during an attack', async () => {
    const ada = await app.create.user({ password_hash: 'any' })
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)

    const mine = { ...bearer(ada.token), ...newAddress() }
    const body = { password: 'battery staple', password_confirmation: 'battery staple', current_password: PASSWORD }

    expect((await one.anonymous.get('/profile', mine)).status).toBe(200)
    expect((await one.anonymous.send('PUT', '/api/v2/profile', { headers: mine, body })).status).toBe(200)
  })

  it('are not trusted by another account whose address they claim', async () => {
    const [ada, mallory] = [await createAda(), await createAda()]
    const one = await process({ credentials: counted().credentials })
    await app.db.execute(sql`
      INSERT INTO email_addresses (user_id, email, created_at) VALUES (${mallory.id}, ${ada.email}, now() - interval '4 days') RETURNING id`)
    await enter(one, mallory.email, from(OWNER_ADDRESS))
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)

    expect((await attemptLogin(one, ada.email, from(OWNER_ADDRESS))).status).toBe(429)
  })

  it('are not trusted by other accounts when logged in', async () => {
    const [ada, mallory] = [await createAda(), await app.create.user()]
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)
    const body = { email: ada.email, password: 'guess' }

    const answer = await one.anonymous.send('POST', '/api/v2/tokens', {
      headers: { ...bearer(mallory.token), ...newAddress() },
      body,
    })

    expect(answer.status).toBe(429)
  })

  it('are not trusted by an account that has confirmed the address since', async () => {
    const [ada, mallory] = [await createAda(), await createAda()]
    const one = await process({ credentials: counted().credentials })
    await app.db.execute(sql`DELETE FROM email_addresses WHERE email = ${ada.email} RETURNING id`)
    await app.db.execute(sql`INSERT INTO email_addresses (user_id, email) VALUES (${mallory.id}, ${ada.email}) RETURNING id`)
    const own = await enter(one, ada.email, from(OWNER_ADDRESS))
    await app.db.execute(
      sql`UPDATE email_addresses SET user_id = ${ada.id}, confirmed_at = now() WHERE email = ${ada.email} RETURNING id`,
    )
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)

    const wrongAttempt = await attemptLogin(one, ada.email, from(OWNER_ADDRESS))

    expect([own.status, wrongAttempt.status]).toEqual([200, 429])
  })

  it('include the device that resets the password by a mailed link', async () => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    await attack(one, ada.email, FAILURES_FREE_MAX + 5)
    const [email] = await queryRows<{ id: number }>(app.db, sql`SELECT e.id FROM email_addresses e WHERE e.user_id = ${ada.id}`)
    const expires_at = new Date(Date.now() + 60_000)
    await app.db.prisma.oneTimeToken.create({
      data: {
        user_id: ada.id,
        email_address_id: email?.id ?? 0,
        purpose: 'reset_password',
        token_hash: hashToken('link'),
        expires_at,
      },
    })
    const body = { token: 'link', password: PASSWORD, password_confirmation: PASSWORD }
    const headers = from('192.0.2.77')

    expect((await enter(one, ada.email, headers)).status).toBe(429)
    expect((await one.anonymous.send('POST', '/api/v2/passwords/reset', { headers, body })).status).toBe(204)
    expect((await enter(one, ada.email, headers)).status).toBe(200)
  })

  it('are stored as hashes, at most twenty for each account', async () => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    for (let n = 0; n < 22; n++) await enter(one, ada.email, newAddress())

    const noted = await queryRows<{ mark: string }>(app.db, sql`SELECT f.mark FROM trusted_devices f WHERE f.user_id = ${ada.id}`)

    expect(noted).toHaveLength(20)
    expect(noted.filter(({ mark }) => !/^[0-9a-f]{64}$/.test(mark))).toEqual([])
  })

  it('are stored as keyed hashes, which cannot be found by trying all addresses', async () => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    await enter(one, ada.email, from(OWNER_ADDRESS))
    const isPlain = (mark: string) =>
      sql`encode(sha256(convert_to(f.user_id::text || ' ' || ${mark}::text, 'UTF8')), 'hex') = f.mark`

    const plain = await queryRows(app.db, sql`SELECT f.mark FROM trusted_devices f WHERE ${isPlain(`address:${OWNER_ADDRESS}`)}`)

    expect(await queryRows(app.db, sql`SELECT f.mark FROM trusted_devices f`)).toHaveLength(1)
    expect(plain).toEqual([])
  })

  it('are deleted after ninety days by the daily job', async () => {
    const ada = await createAda()
    const one = await process({ credentials: counted().credentials })
    await enter(one, ada.email, from(OWNER_ADDRESS))
    await enter(one, ada.email, from('203.0.113.8'))
    const [old] = await queryRows<{ mark: string }>(
      app.db,
      sql`SELECT f.mark FROM trusted_devices f ORDER BY f.seen_at, f.mark LIMIT 1`,
    )
    await app.db.execute(sql`
      UPDATE trusted_devices SET seen_at = now() - interval '91 days' WHERE mark = ${old?.mark ?? ''} RETURNING mark`)
    const services = { db: app.db, clock: () => new Date() }

    await sweep('delete-expired-trusted-devices', services)
    await sweep('delete-expired-trusted-devices', services)

    const left = await queryRows<{ mark: string }>(app.db, sql`SELECT f.mark FROM trusted_devices f`)
    expect(left).toHaveLength(1)
    expect(left[0]?.mark).not.toBe(old?.mark)
  })

  it('log in while the database is read-only', async () => {
    const ada = await createAda()
    const { credentials, trustedDevices } = { ...counted(), trustedDevices: app.services.trustedDevices }
    const one = await process({
      credentials,
      trustedDevices: { ...trustedDevices, trust: () => Promise.reject(new Error('read only')) },
    })

    expect((await enter(one, ada.email, from(OWNER_ADDRESS))).status).toBe(200)
    expect(one.logged).toContainEqual(expect.objectContaining({ msg: 'could not store the trusted device' }))
  })
})
