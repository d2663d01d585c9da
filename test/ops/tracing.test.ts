import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'

import { openPostgres } from '../../src/database/postgres.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { startNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SOON = { timeout: 180_000, interval: 100 }

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}
interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

/** Starts a collector that takes OTLP over HTTP as JSON. */
async function openCollector() {
  const spans: Span[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      spans.push(...(body as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A first start on the embedded engine creates a database, which takes longer than the test. */
async function migratedDatabase(): Promise<Record<string, string>> {
  if (testDatabaseUrl === undefined) return {}
  const { url, drop } = await createTestDatabase(testDatabaseUrl, inject('template'))
  onTestFinished(drop)
  return { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
}

describe.each(testDatabaseUrl === undefined ? [] : [testDatabaseUrl])('OTEL_EXPORTER_OTLP_ENDPOINT', (serverUrl) => {
  it('traces a request with its statements, the jobs that it caused and their mails', async () => {
    const { url, drop } = await createTestDatabase(serverUrl, inject('template'))
    onTestFinished(drop)
    const db = openPostgres({ url, pools: { read: 1, write: 1 } })
    onTestFinished(() => db.close())
    const ada = await createFactories(db).user({ name: 'Ada' })
    const collector = await openCollector()
    const env = {
      ...{ DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1', DATA_DIR: createTemporaryFolder(), PORT: '0', DEMO: 'off' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_TRACES_SAMPLER_ARG: '1' },
    }
    const server = startNode('src/server.ts', [], env)
    // A delivery that waits for its worker is queued again, by a schedule and thus outside of the trace.
    await startNode('jobs/worker.ts', [], env).waitForOutput(/worker started/)
    const [, port] = await server.waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)

    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/passwords/forgot?secret=my-search`, {
      method: 'POST',
      headers: {
        'user-agent': 'test',
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ email: ada.email }),
    })
    const traced = await vi.waitFor(() => {
      const found = collector.spans.filter(({ traceId }) => traceId === TRACE)
      // The job of a schedule may send the mail first.
      expect(collector.spans.map(({ name }) => name)).toContain('mail')
      expect(found.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['request', 'INSERT mails', 'process notifications', 'process mails']),
      )
      return found
    }, SOON)

    const names = traced.map(({ name }) => name)
    const request = traced.find(({ name }) => name === 'request')
    const attributes = Object.fromEntries(request?.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [])
    expect(answer.status).toBe(202)
    expect(answer.headers.get('traceparent')).toBe(`00-${TRACE}-${request?.spanId}-01`)
    expect(request?.parentSpanId).toBe('00f067aa0ba902b7')
    expect(attributes).toMatchObject({
      'http.route': '/api/v2/passwords/forgot',
      'url.path': '/api/v2/passwords/forgot',
      request_id: answer.headers.get('x-request-id'),
    })
    expect(names).toEqual(expect.arrayContaining(['INSERT rate_limits', 'INSERT mails', 'process notifications', 'process mails']))
    const text = JSON.stringify(collector.spans)
    expect([ada.email, 'my-search'].filter((secret) => text.includes(secret))).toEqual([])
  })
})

it(
  'one request of ten is traced by default, each whose client traces it, and none whose client does not',
  { timeout: 180_000 },
  async () => {
    const collector = await openCollector()
    const env = {
      ...(await migratedDatabase()),
      ...{ DATA_DIR: createTemporaryFolder(), PORT: '0', DEMO: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    }
    const [, port] = await startNode('src/server.ts', [], env).waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
    const isTraced = async (headers: Record<string, string> = {}) => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/live`, { headers: { 'user-agent': 'test', ...headers } })
      return answer.headers.get('traceparent')?.endsWith('-01') === true
    }

    const traced = await Promise.all(Array.from({ length: 300 }, () => isTraced()))

    // Both bounds are more than five standard deviations from 30.
    const count = traced.filter(Boolean).length
    expect(count).toBeGreaterThan(3)
    expect(count).toBeLessThan(60)
    expect(await isTraced({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })).toBe(true)
    const untraced = await Promise.all(
      Array.from({ length: 50 }, () => isTraced({ traceparent: `00-${TRACE}-00f067aa0ba902b7-00` })),
    )
    expect(untraced).not.toContain(true)
  },
)

it('only src/process/tracing.ts imports OpenTelemetry, so that nothing of it is loaded without a collector', () => {
  const importing = globSync('{src,jobs}/**/*.ts').filter((file) =>
    /from '(@opentelemetry|@fastify\/otel|bullmq-otel)/.test(readFileSync(file, 'utf8')),
  )
  const loading = globSync('{src,jobs}/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes("process/tracing.ts'"))

  expect([importing, loading]).toEqual([['src/process/tracing.ts'], []])
})
