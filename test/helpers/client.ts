import type { buildApp } from '../../src/app.ts'
import { apiPrefix } from '../../src/http/request/urls.ts'
import { checkLeaks } from '../contract/leak-markers.ts'
import { checkResponse } from '../contract/openapi-responses.ts'

export interface ApiResponse {
  readonly status: number
  readonly headers: Record<string, string | string[] | number | undefined>
  /** The parsed body if the response is JSON. */
  readonly body: unknown
  readonly text: string
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

export interface Client {
  /** `path` is relative to /api/v2. */
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  /** `url` is relative to the root; the body is sent as JSON unless it is text. */
  send(method: Method, url: string, options?: { headers?: Record<string, string>; body?: unknown }): Promise<ApiResponse>
}

/** Creates a client that sends requests without a socket. Every response is compared with the OpenAPI document and searched for private data. */
export function createClient(app: Awaited<ReturnType<typeof buildApp>>, defaultHeaders: Record<string, string> = {}): Client {
  const send: Client['send'] = async (method, url, { headers = {}, body } = {}) => {
    const payload = body === undefined ? {} : { payload: body as string | object }
    const response = await app.inject({
      method,
      url,
      headers: { 'user-agent': 'fixpoint-tests', ...defaultHeaders, ...headers },
      ...payload,
    })
    checkResponse(app, { method, url }, response)
    await checkLeaks(app, { method, url, headers: { ...defaultHeaders, ...headers }, body }, response)
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.payload,
      body: isJson && response.payload !== '' ? response.json() : undefined,
    }
  }
  return { send, get: (path, headers) => send('GET', `${apiPrefix}${path}`, headers ? { headers } : {}) }
}
