import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
}

export interface ServiceRequest {
  service_request_id: string
  status: string
  [field: string]: unknown
}

/** The behaviour of the endpoint instead of a response: `lose` does the work and closes the connection without a response. */
export type Failure = 'hang' | 'lose' | 'reset' | ((response: ServerResponse) => void)

/** Opens an Open311 endpoint in this process. It stores reports and updates; if `isIdempotent`, a report with a known Idempotency-Key is no new one. */
export async function openFakeEndpoint({ isIdempotent = false, listsUpdates = true, token = false, pageLength = Infinity } = {}) {
  const received: ReceivedRequest[] = []
  const requests: ServiceRequest[] = []
  const updates: Record<string, unknown>[] = []
  const keys = new Map<string, unknown>()
  const failures: { readonly matches: (request: ReceivedRequest) => boolean; readonly failure: Failure; times: number }[] = []
  const definitions = new Map<string, unknown>()
  const tokens = new Map<string, string | null>()

  function handle(request: ReceivedRequest): { status: number; body: unknown } {
    const { method, path, form, query, headers } = request
    if (method === 'POST' && path === '/requests.json') {
      const key = String(headers['idempotency-key'])
      if (isIdempotent && keys.has(key)) return { status: 200, body: keys.get(key) }
      const service_request_id = `SR-${requests.length + 1}`
      requests.push({ service_request_id, status: 'open', requested_datetime: new Date().toISOString(), ...form })
      const body = token ? [{ token: `token-${service_request_id}` }] : [{ service_request_id }]
      if (token) tokens.set(`token-${service_request_id}`, null)
      keys.set(key, body)
      return { status: 200, body }
    }
    if (method === 'POST' && path === '/servicerequestupdates.json' && listsUpdates) {
      const update_id = `U-${updates.length + 1}`
      updates.push({ ...form, update_id })
      const request = requests.find(({ service_request_id }) => service_request_id === form['service_request_id'])
      if (request && form['status'] !== undefined) request.status = form['status'] === 'CLOSED' ? 'closed' : 'open'
      return { status: 200, body: [{ update_id }] }
    }
    if (path === '/servicerequestupdates.json' && listsUpdates) {
      const inWindow = ({ updated_datetime }: Record<string, unknown>) =>
        String(updated_datetime) >= (query['start_date'] ?? '') && String(updated_datetime) <= (query['end_date'] ?? '')
      const first = pageLength === Infinity ? 0 : (Number(query['page'] ?? 1) - 1) * pageLength
      return { status: 200, body: updates.filter(inWindow).slice(first, first + pageLength) }
    }
    if (path === '/requests.json') {
      const ids = query['service_request_id']?.split(',')
      return { status: 200, body: requests.filter(({ service_request_id }) => ids?.includes(service_request_id) ?? true) }
    }
    const [, service] = /^\/services\/(.+)\.json$/.exec(path) ?? []
    if (service !== undefined && definitions.has(service)) return { status: 200, body: definitions.get(service) }
    const [, name] = /^\/tokens\/(.+)\.json$/.exec(path) ?? []
    if (name !== undefined && tokens.has(name))
      return { status: 200, body: [{ token: name, service_request_id: tokens.get(name) }] }
    return { status: 404, body: [{ code: 404, description: 'There is no such resource.' }] }
  }

  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      received.push(request)
      const planned = failures.find(({ matches, times }) => times > 0 && matches(request))
      if (planned) planned.times--
      const failure = planned?.failure
      if (failure === 'hang') return
      if (failure === 'reset') return incoming.socket.destroy()
      if (typeof failure === 'function') return failure(response)
      const { status, body } = handle(request)
      if (failure === 'lose') return incoming.socket.destroy()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  const listen = (port = 0) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen()
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    requests,
    updates,
    definitions,
    tokens,
    stop,
    start: () => listen(port),
    /** Makes the next matching requests fail. `path` is the beginning of the path. */
    fail(method: string, path: string, failure: Failure, times = 1) {
      failures.push({ failure, times, matches: (request) => request.method === method && request.path.startsWith(path) })
    },
    posts: (path: string) => received.filter((request) => request.method === 'POST' && request.path === path),
  }
}

export type FakeEndpoint = Awaited<ReturnType<typeof openFakeEndpoint>>

async function readRequest(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://endpoint')
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  return {
    method: incoming.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    form: Object.fromEntries(form),
    headers: incoming.headers,
  }
}

/** Responds with a status and a text. */
export const respond =
  (status: number, text = '', headers: Record<string, string> = {}): Failure =>
  (response) =>
    response.writeHead(status, headers).end(text)
