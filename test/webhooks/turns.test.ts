import { describe, expect, it, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { EndpointClient } from '../../src/georeport/endpoint-client.ts'
import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import { engine } from '../helpers/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { waitForTransactions } from '../issues/changes/committed.ts'
import type { TestUser } from '../helpers/test-user.ts'
import type { Message } from './receiver.ts'

describe('the turn of a webhook', () => {
  const app = useApp()
  let owner: TestUser

  /** Inserts an active webhook that begins now. */
  async function start(owner: TestUser, path = 'hook', kinds = ['created', 'changed', 'gone']): Promise<number> {
    await waitForTransactions(app.db)
    const { next_since } = (await app.as.anonymous.get('/changes')).body as { next_since: string }
    const data = { user_id: owner.id, url: `https://example.org/${path}`, query: '', kinds, signature: 'v1', secret: 'whsec_' }
    const webhook = await app.db.prisma.webhook.create({ data: { ...data, is_active: true, position: next_since } })
    return webhook.id
  }

  /** Runs the job with a receiver that does something before it takes a message. */
  async function run(receive: (path: string, message: Message) => Promise<unknown> | undefined) {
    const messages: (readonly [string, string, number | undefined])[] = []
    const send: EndpointClient['send'] = async ({ url, json = '' }) => {
      const message = JSON.parse(json) as Message
      const path = url.slice('https://example.org/'.length)
      messages.push([path, message.type, message.data.id])
      await receive(path, message)
      return { status: 204, text: '' }
    }
    await waitForTransactions(app.db)
    await deliverWebhooks({ ...app.services, endpoints: { send } }, new AbortController().signal)
    return messages
  }

  it('waits for no other one: a fast receiver gets changes while a slow one takes its time', async () => {
    const { create } = app
    const [slow, fast] = [await create.user(), await create.user()]
    await start(slow, 'slow')
    await create.issue({ at: GREEN, reporter: slow })
    await waitForTransactions(app.db)
    const received = Promise.withResolvers<unknown>()
    let started: Promise<unknown> | undefined

    const messages = await run((path) => {
      if (path === 'fast') return Promise.resolve(received.resolve(undefined))
      started ??= start(fast, 'fast').then(async () => {
        await create.issue({ at: GREEN, reporter: slow })
        await received.promise
      })
      return started
    })

    expect(messages.map(([path]) => path)).toContain('fast')
  })

  it.each([
    ['it is deleted', (id: number) => app.db.prisma.webhook.deleteMany({ where: { id } })],
    ['it is stopped', (id: number) => app.db.prisma.webhook.updateMany({ where: { id }, data: { is_active: false } })],
    [
      'it gets another list',
      (id: number) => app.as.user(owner).send('PUT', `/api/v2/webhooks/${id}`, { body: { query: 'status=closed' } }),
    ],
    [
      'another process has its lease',
      (id: number) =>
        app.db.prisma.webhook.updateMany({ where: { id }, data: { leased_until: null, due_at: new Date(Date.now() + 60_000) } }),
    ],
  ])('ends after the present message if %s', async (_, change) => {
    const { create } = app
    owner = await create.user()
    const id = await start(owner)
    const first = await create.issue({ at: GREEN, reporter: owner })
    await create.issue({ at: GREEN, reporter: owner })

    const messages = await run(() => change(id))

    expect(messages).toEqual([['hook', 'issue.created', first]])
  })

  it('sends an issue as it may be seen at that moment', async () => {
    const { create, db } = app
    const owner = await create.user()
    await start(owner)
    const [first, second] = [await create.issue({ at: GREEN, reporter: owner }), await create.issue({ at: GREEN, reporter: owner })]

    const messages = await run(() => db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${second}`))

    expect(messages.slice(0, 2)).toEqual([
      ['hook', 'issue.created', first],
      ['hook', 'issue.gone', second],
    ])
  })

  it('is not repeated at once if there is nothing to send after a failure', async () => {
    const { create, db } = app
    const id = await start(await create.user())
    const before = { failures: 3, due_at: new Date(Date.now() - 2 * 3_600_000) }
    await db.prisma.webhook.update({ where: { id }, data: before })

    const messages = await run(() => undefined)

    expect(messages).toEqual([])
    expect((await db.prisma.webhook.findUniqueOrThrow({ where: { id } })).due_at.getTime()).toBeGreaterThan(before.due_at.getTime())
  })

  it('learns at once of a restore to a server whose transactions have smaller numbers', async () => {
    const { create, db } = app
    const owner = await create.user()
    const id = await start(owner)
    await db.prisma.webhook.update({ where: { id }, data: { position_xid: 1_000_000_000_000n } })
    await db.execute(sql`SELECT begin_change_log()`)
    await create.issue({ at: GREEN, reporter: owner })

    expect(await run(() => undefined)).toEqual([['hook', 'changes.reset', undefined]])
  })

  it('sends no kind that the webhook is not for', async () => {
    const { create, db } = app
    const owner = await create.user()
    await start(owner, 'hook', ['created'])
    const [first, second] = [await create.issue({ at: GREEN, reporter: owner }), await create.issue({ at: GREEN, reporter: owner })]

    const messages = await run(() => db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${second}`))

    expect(messages).toEqual([['hook', 'issue.created', first]])
    expect(await db.prisma.webhookDelivery.count({ where: { sent_at: null } })).toBe(0)
  })

  it.runIf(engine === 'server')('does not begin for changes behind a transaction that is still open', async () => {
    const { create, db } = app
    const owner = await create.user()
    await start(owner)
    const [opened, ended] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()]
    const open = db.transaction(async (tx) => {
      await tx.execute(sql`UPDATE users SET name = 'Open' WHERE id = ${owner.id}`)
      opened.resolve(undefined)
      await ended.promise
    })
    await opened.promise
    await create.issue({ at: GREEN, reporter: await create.user() })
    const lease = vi.spyOn(db.prisma.webhook, 'findUniqueOrThrow')
    const messages: string[] = []
    const send: EndpointClient['send'] = ({ json = '' }) => Promise.resolve({ status: 204, text: String(messages.push(json)) })

    await deliverWebhooks({ ...app.services, endpoints: { send } }, new AbortController().signal)
    ended.resolve(undefined)
    await open

    expect([messages, lease.mock.calls]).toEqual([[], []])
  })

  it('does not go back if a test begins before a message and ends after it', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const id = await start(owner)
    await create.issue({ at: GREEN, reporter: owner })
    const messages: unknown[] = []
    vi.spyOn(app.services.endpoints, 'send').mockImplementation(async () => {
      messages.push(...(await run(() => undefined)))
      return { status: 204, text: '' }
    })

    await as.user(owner).send('POST', `/api/v2/webhooks/${id}/test`)
    vi.restoreAllMocks()
    const later = await run(() => undefined)

    expect([messages.length, later]).toEqual([1, []])
    expect(await db.prisma.webhookDelivery.count()).toBe(1)
  })

  it('does not start an address that was set while another one was tested', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const { id } = (await as.user(owner).send('POST', '/api/v2/webhooks', { body: { url: 'https://example.org/own' } })).body as {
      id: number
    }
    const other = 'https://example.org/victim'
    vi.spyOn(app.services.endpoints, 'send').mockImplementation(async () => {
      await as.user(owner).send('PUT', `/api/v2/webhooks/${id}`, { body: { url: other } })
      return { status: 204, text: '' }
    })

    await as.user(owner).send('POST', `/api/v2/webhooks/${id}/test`)

    vi.restoreAllMocks()
    expect(await db.prisma.webhook.findUnique({ where: { id } })).toMatchObject({ is_active: false, url: other })
  })
})
