import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'

const MAIL_HOOK_SECRET = 'a-key-of-the-provider'
const app = useApp({ env: { MAIL_HOOK_SECRET } })

let email: string
beforeEach(async () => {
  email = (await app.create.user({ name: 'Ada Park' })).email
})

const now = () => Math.floor(app.services.clock().getTime() / 1000)
const sign = (body: string, key = MAIL_HOOK_SECRET, sentAt: number | string = now()) =>
  `sha256=${createHmac('sha256', key).update(`${sentAt}.${body}`).digest('hex')}`
const post = (body: string, signature: string | undefined = sign(body), sentAt: number | string = now()) =>
  app.fastify.inject({
    method: 'POST',
    url: '/hooks/mail',
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-fixpoint-timestamp': String(sentAt),
      ...(signature === '' ? {} : { 'x-fixpoint-signature': signature }),
    },
  })
const refused = async () =>
  (await app.db.prisma.emailAddress.findMany({ where: { refused_at: { not: null } } })).map((one) => one.email)

describe('POST /hooks/mail', () => {
  it.each(['bounce', 'complaint'])('ends notifications to the address of a %s, and ignores unknown ones', async (kind) => {
    await app.create.user({ name: 'Ben Stone' })
    const body = JSON.stringify({
      reports: [
        { kind, email: email.toUpperCase() },
        { kind, email: 'unknown@example.org' },
      ],
    })

    const answers = [await post(body), await post(body)]

    expect(answers.map(({ statusCode, payload }) => [statusCode, payload])).toEqual([
      [204, ''],
      [204, ''],
    ])
    expect(await refused()).toEqual([email])
    expect(await app.db.prisma.emailAddress.findFirst({ where: { email }, select: { hard_refusals: true } })).toEqual({
      hard_refusals: 2,
    })
  })

  it('returns 401 without a signature and for one of another key or body', async () => {
    const body = JSON.stringify({ reports: [{ kind: 'bounce', email }] })

    const answers = [await post(body, ''), await post(body, sign(body, 'another key')), await post(body, sign(`${body} `))]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401])
    expect(await refused()).toEqual([])
  })

  it('returns 401 for a recorded request after five minutes, with its own time or another one, and for no time', async () => {
    const body = JSON.stringify({ reports: [{ kind: 'bounce', email }] })
    const old = now() - 310
    const signed = (sentAt: number | string) => post(body, sign(body, MAIL_HOOK_SECRET, sentAt), sentAt)

    const answers = [
      await signed(old),
      await post(body, sign(body, MAIL_HOOK_SECRET, old)),
      await signed(now() + 310),
      await signed(''),
    ]
    const inTime = await signed(now() - 200)

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401])
    expect(inTime.statusCode).toBe(204)
  })

  it.each([
    ['no reports', {}],
    ['an unknown kind', { reports: [{ kind: 'delay', email: 'ada@example.org' }] }],
    ['an invalid address', { reports: [{ kind: 'bounce', email: 'ada' }] }],
  ])('returns 422 for %s', async (_, fields) => {
    const { statusCode, payload } = await post(JSON.stringify(fields))

    expect([statusCode, Object.keys(JSON.parse(payload) as object)]).toEqual([422, ['reports']])
  })

  it('refuses a form, which is not signed', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = new URLSearchParams({ 'reports[0][kind]': 'bounce', 'reports[0][email]': email }).toString()

    const { statusCode, body } = await app.fastify.inject({ method: 'POST', url: '/hooks/mail', payload, headers })

    expect([statusCode, (JSON.parse(body) as { message: string }).message]).toEqual([
      415,
      'The body must be application/json or message/rfc822.',
    ])
    expect(await refused()).toEqual([])
  })

  it('returns 400 for a signed body that is no JSON', async () => {
    expect((await post('{')).statusCode).toBe(400)
  })
})

describe('without MAIL_HOOK_SECRET', () => {
  const plain = useApp()

  it('there is no hook', async () => {
    const headers = { 'x-fixpoint-signature': sign('{}') }

    expect((await plain.fastify.inject({ method: 'POST', url: '/hooks/mail', payload: {}, headers })).statusCode).toBe(404)
  })
})
