import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { type Browser, createBrowser } from './browser.ts'
import type { TestUser } from './factories.ts'
import type { TestApp } from './use-app.ts'

/** Returns a browser with a session of the user. It skips the login, whose password check is slow. */
export async function createLoggedInBrowser({ fastify, db }: TestApp, { id }: Pick<TestUser, 'id'>): Promise<Browser> {
  const secret = newSecret()
  const data = { user_id: id, kind: 'session' as const, token_hash: hashToken(secret), last_used_at: new Date() }
  await db.prisma.token.create({ data: { ...data, expires_at: new Date(Date.now() + 3_600_000) } })
  const browser = createBrowser(fastify)
  browser.jar.set('fixpoint_session', secret)
  return browser
}

export async function sendMultipart(
  browser: Browser,
  url: string,
  fields: Readonly<Record<string, string | File>> | readonly (readonly [string, string | File])[],
) {
  const form = new FormData()
  for (const [name, value] of Symbol.iterator in fields ? fields : Object.entries(fields)) form.append(name, value)
  const request = new Request('http://fixpoint.test', { method: 'POST', body: form })
  const payload = Buffer.from(await request.arrayBuffer())
  const headers = { 'content-type': request.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin' }
  return browser.send('POST', url, { payload, headers })
}

/** The value that a browser sends for a file field without a chosen file. */
export const EMPTY_FILE = new File([], '', { type: 'application/octet-stream' })
