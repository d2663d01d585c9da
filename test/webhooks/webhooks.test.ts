import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { waitForTransactions } from '../issues/changes/committed.ts'
import { deliver, startReceiver, startWebhook, verify } from './receiver.ts'

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'

describe('a webhook', () => {
  const app = useApp({ env: { FORWARD_ALLOW: '127.0.0.0/8' } })

  it('sends the changes of its list in their order, each signed, with the issue as the list has it', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { secret } = await startWebhook(app, owner, { url: receiver.url, query: BOX })

    const first = await create.issue({ at: GREEN, reporter: owner, summary: 'Deep hole' })
    await create.issue({ at: FAR_AWAY, reporter: owner })
    const second = await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${first}`)
    await deliver(app)

    expect(receiver.requests.map(({ message }) => [message.type, message.data.id])).toEqual([
      ['test', undefined],
      ['issue.created', first],
      ['issue.created', second],
      ['issue.gone', first],
    ])
    for (const request of receiver.requests) expect(verify(secret, request)).toEqual(request.message)
    const { issues } = (await as.anonymous.get(`/issues?${BOX}`)).body as { issues: unknown[] }
    expect([receiver.requests[2]?.message.data.issue]).toEqual(issues)
    expect(receiver.requests[2]?.message.data.url).toBe(`http://fixpoint.test/api/v2/issues/${second}`)
    expect(JSON.stringify(receiver.requests[3])).not.toContain('Deep hole')
  })

  it('gets everything, in order and with the same ids, from a sender whose every second attempt fails', async () => {
    const { create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver((count) => (count > 1 && count % 2 === 0 ? 500 : 200))
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    const issues: number[] = []
    for (let n = 0; n < 12; n++) issues.push(await create.issue({ at: GREEN, reporter: owner }))

    for (let n = 0; n < 13; n++) await deliver(app)

    const sent = receiver.requests.slice(1)
    const ids = [...new Set(sent.map((one) => one.id))]
    expect(ids.map((one) => sent.find((request) => request.id === one)?.message.data.id)).toEqual(issues)
    expect(sent.length).toBeGreaterThan(issues.length)
    const [row] = await db.prisma.webhook.findMany({ where: { id } })
    expect([row?.failures, row?.failing_since, row?.error]).toEqual([0, null, null])
  })

  it('waits longer after each failure, is stopped after two days with a mail, and goes on where it was', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    let status = 503
    const receiver = await startReceiver((count) => (count === 1 ? 200 : status))
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    const issue = await create.issue({ at: GREEN, reporter: owner })
    const pauses: number[] = []
    for (let n = 0; n < 3; n++) {
      await deliver(app)
      const row = await db.prisma.webhook.findUniqueOrThrow({ where: { id } })
      pauses.push(Math.round((row.due_at.getTime() - Date.now()) / 1_000 / 5))
    }
    const failing = (await as.user(owner).get(`/webhooks/${id}`)).body
    await db.execute(sql`UPDATE webhooks w SET failing_since = now() - interval '3 days' WHERE w.id = ${id}`)
    await deliver(app)
    const stopped = (await as.user(owner).get(`/webhooks/${id}`)).body
    const events = await db.prisma.event.findMany({ where: { type: 'user.webhook_stopped' } })
    await deliver(app)
    const attempts = receiver.requests.length
    status = 204
    await as.user(owner).send('POST', `/api/v2/webhooks/${id}/test`)
    await deliver(app)

    expect(pauses).toEqual([1, 3, 9])
    expect(failing).toMatchObject({ state: 'failing', error: 'the receiver responded with 503' })
    expect(stopped).toMatchObject({ state: 'stopped', error: 'the receiver responded with 503' })
    expect(events.map(({ subject_id, payload }) => [subject_id, payload])).toEqual([[owner.id, { webhook_id: id }]])
    expect(attempts).toBe(5)
    expect(receiver.requests.at(-1)?.message).toMatchObject({ type: 'issue.created', data: { id: issue } })
    expect((await as.user(owner).get(`/webhooks/${id}`)).body).toMatchObject({ state: 'active', error: null })
  })

  it('is stopped at once by 410', async () => {
    const { as, create } = app
    const owner = await create.user()
    const receiver = await startReceiver((count) => (count === 1 ? 200 : 410))
    const { id } = await startWebhook(app, owner, { url: receiver.url })
    await create.issue({ at: GREEN, reporter: owner })

    await deliver(app)

    expect((await as.user(owner).get(`/webhooks/${id}`)).body).toMatchObject({ state: 'stopped' })
  })

  it('signs with both secrets for a day after a new one', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { id, secret } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    const renewed = (await as.user(owner).send('POST', `/api/v2/webhooks/${id}/secret`)).body as { secret: string }
    await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)
    await db.execute(sql`UPDATE webhooks w SET former_until = now() WHERE w.id = ${id}`)
    await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)

    const [, both, later] = receiver.requests
    if (!both || !later) throw new Error('There are two messages')
    const again = (await as.user(owner).send('POST', `/api/v2/webhooks/${id}/secret`)).body as { secret: string }
    expect(new Set([secret, renewed.secret, again.secret]).size).toBe(3)
    for (const one of [secret, renewed.secret]) verify(one, both)
    verify(renewed.secret, later)
    expect(() => verify(secret, later)).toThrow('No matching signature')
  })

  it('signs with each secret that a receiver may still have: the newest and those of the last day', async () => {
    const { as, create } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { id, secret } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    const secrets = [secret]
    for (let n = 0; n < 2; n++) {
      const { body } = await as.user(owner).send('POST', `/api/v2/webhooks/${id}/secret`)
      secrets.push((body as { readonly secret: string }).secret)
    }
    await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)

    const [, message] = receiver.requests
    if (!message) throw new Error('There is a message')
    for (const one of secrets) verify(one, message)
  })

  it('signs with Ed25519 for `v1a`, and shows only the public key', async () => {
    const { create } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { public_key, secret } = await startWebhook(app, owner, { url: receiver.url, signature: 'v1a' })

    const [request] = receiver.requests
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(String(public_key).slice('whpk_'.length), 'base64').toString('base64url') },
      format: 'jwk',
    })
    const [version, signature = ''] = String(request?.headers['webhook-signature']).split(',')
    const signed = `${request?.id}.${String(request?.headers['webhook-timestamp'])}.${request?.body}`
    expect([version, secret]).toEqual(['v1a', null])
    expect(verifySignature(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('sends the changes after a cursor again, with the same ids', async () => {
    const { as, create } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    for (let n = 0; n < 3; n++) {
      await create.issue({ at: GREEN, reporter: owner })
      await deliver(app)
    }
    const { deliveries } = (await as.user(owner).get(`/webhooks/${id}/deliveries`)).body as {
      deliveries: { message_id: string; next_since: string }[]
    }
    const since = deliveries.at(-1)?.next_since

    const replayed = await as.user(owner).send('POST', `/api/v2/webhooks/${id}/replay`, { body: { since } })
    await deliver(app)

    const ids = receiver.requests.slice(1).map((request) => request.id)
    expect(replayed.status).toBe(200)
    expect(ids).toEqual([...ids.slice(0, 3), ...ids.slice(0, 3)])
    expect(deliveries.map(({ message_id }) => message_id)).toEqual(ids.slice(0, 3).toReversed())
    expect((await as.user(owner).send('POST', `/api/v2/webhooks/${id}/replay`, { body: { since: 'x' } })).status).toBe(422)
  })

  it('says `changes.reset` if its cursor is no longer good', async () => {
    const { create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    await startWebhook(app, owner, { url: receiver.url, query: BOX })
    await db.execute(sql`SELECT begin_change_log()`)
    await create.issue({ at: FAR_AWAY, reporter: owner })

    await deliver(app)
    const issue = await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)

    expect(receiver.requests.slice(1).map(({ message }) => [message.type, message.data.id])).toEqual([
      ['changes.reset', undefined],
      ['issue.created', issue],
    ])
  })

  it('sends only the kinds that it is for, and nothing about a list that it no longer has', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: BOX, kinds: ['created'] })
    const issue = await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)
    await db.execute(sql`UPDATE issues SET summary = 'Deeper' WHERE id = ${issue}`)
    await deliver(app)
    await create.issue({ at: GREEN, reporter: owner })
    await waitForTransactions(db)
    await as
      .user(owner)
      .send('PUT', `/api/v2/webhooks/${id}`, { body: { query: 'min_lat=-42&min_lng=105&max_lat=-41&max_lng=107' } })
    await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)

    expect(receiver.requests.map(({ message }) => message.type)).toEqual(['test', 'issue.created'])
  })

  it('is stopped, with the reason, if the place of its query is gone', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    await create.place({ url_name: 'greenport' })
    const receiver = await startReceiver()
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: 'place_url=greenport' })
    await create.issue({ at: GREEN, reporter: owner })
    await db.prisma.place.deleteMany({ where: { url_name: 'greenport' } })
    await deliver(app)

    expect((await as.user(owner).get(`/webhooks/${id}`)).body).toMatchObject({
      state: 'stopped',
      error: expect.stringContaining('place_url') as string,
    })
  })

  it('must be tested again at another address', async () => {
    const { as, create } = app
    const owner = await create.user()
    const [receiver, other] = [await startReceiver(), await startReceiver()]
    const { id } = await startWebhook(app, owner, { url: receiver.url, query: BOX })
    await as.user(owner).send('PUT', `/api/v2/webhooks/${id}`, { body: { url: other.url } })
    const issue = await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)
    expect(other.requests).toEqual([])

    await as.user(owner).send('POST', `/api/v2/webhooks/${id}/test`)
    await deliver(app)

    expect(other.requests.map(({ message }) => message.data.id)).toEqual([undefined, issue])
  })

  it('sends an issue that is too long without its contents', async () => {
    const { create } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    await startWebhook(app, owner, { url: receiver.url, query: BOX })
    const id = await create.issue({ at: GREEN, reporter: owner, description: 'ä'.repeat(10_000) })

    await deliver(app)

    const { body, message } = receiver.requests[1] ?? {}
    expect(Buffer.byteLength(String(body))).toBeLessThan(20_000)
    expect(message?.data).toMatchObject({ id, kind: 'created', issue: null })
  })
})
