import { checkLeaks } from '../contract/leak-markers.ts'
import type { TestApp } from './use-app.ts'
import { PUBLIC_URL } from './use-app.ts'

export interface PageResponse {
  readonly status: number
  readonly headers: Record<string, string | string[] | number | undefined>
  readonly text: string
  /** The text of the page without tags. */
  readonly visibleText: string
}

/** Returns the key of the form in a page, which makes the form count once; '' without one. */
export const formKeyIn = ({ text }: { readonly text: string }) => /name="form_key" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Creates a client that behaves like a browser without scripts: it keeps cookies and sends the origin of a form. */
export function createBrowser(app: TestApp['fastify'], { origin = PUBLIC_URL, address = '127.0.0.1' } = {}) {
  const jar = new Map<string, string>()

  async function send(
    method: 'GET' | 'POST',
    url: string,
    more: { payload?: string | Buffer; headers?: Record<string, string> } = {},
  ) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'user-agent': 'Mozilla/5.0', accept: 'text/html', ...(cookie ? { cookie } : {}), ...more.headers }
    const payload = more.payload === undefined ? {} : { payload: more.payload }
    const response = await app.inject({ method, url, headers, remoteAddress: address, ...payload })
    await checkLeaks(app, { method, url, headers, body: more.payload }, response)
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0 || value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const visibleText = response.payload
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    return { status: response.statusCode, headers: response.headers, text: response.payload, visibleText } as PageResponse
  }

  return {
    jar,
    get: (url: string, headers?: Record<string, string>) => send('GET', url, headers ? { headers } : {}),
    /** Submits a form from the same origin, unless `headers` set another one. */
    post: (
      url: string,
      fields: Record<string, string> | readonly (readonly [string, string])[] = {},
      headers?: Record<string, string>,
    ) =>
      send('POST', url, {
        payload: new URLSearchParams(fields as Record<string, string>).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(headers ?? { 'sec-fetch-site': 'same-origin', origin }),
        },
      }),
    send,
  }
}

export type Browser = ReturnType<typeof createBrowser>
