import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'

import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import { sql } from '../../src/database/database.ts'
import type { TestApp } from '../helpers/use-app.ts'
import type { TestUser } from '../helpers/test-user.ts'
import { waitForTransactions } from '../issues/changes/committed.ts'

export interface Message {
  readonly type: string
  readonly data: {
    readonly id?: number
    readonly kind?: string
    readonly issue?: Record<string, unknown> | null
    readonly url?: string
  }
  readonly next_since: string
}

export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly message: Message
}

/** Starts a receiver that answers the messages, by their number, with a status. */
export async function startReceiver(answer: (count: number) => number = () => 204) {
  const requests: Received[] = []
  const server = createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const part of request) body += String(part)
      const { headers } = request
      requests.push({ id: String(headers['webhook-id']), headers, body, message: JSON.parse(body) as Message })
      response.writeHead(answer(requests.length)).end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, requests }
}

/** Verifies a message with the library of Standard Webhooks. Its clock is that of the machine. */
export const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  })

export interface Created {
  readonly id: number
  readonly secret: string
  readonly public_key: string | null
  readonly state: string
}

export async function createWebhook(app: TestApp, owner: TestUser, body: object): Promise<Created> {
  const { status, body: created, text } = await app.as.user(owner).send('POST', '/api/v2/webhooks', { body })
  if (status !== 201) throw new Error(text)
  return created as Created
}

/** Creates a webhook and starts it with a test message. */
export async function startWebhook(app: TestApp, owner: TestUser, body: object): Promise<Created> {
  const created = await createWebhook(app, owner, body)
  await waitForTransactions(app.db)
  const { text } = await app.as.user(owner).send('POST', `/api/v2/webhooks/${created.id}/test`)
  if (!text.includes('"delivered":true')) throw new Error(text)
  return created
}

/** Runs the job once, as if all pauses were over. */
export async function deliver(app: TestApp): Promise<void> {
  await waitForTransactions(app.db)
  await app.db.execute(sql`UPDATE webhooks w SET due_at = now() - interval '1 second' WHERE w.is_active`)
  await deliverWebhooks(app.services, new AbortController().signal)
}
