import autocannon from 'autocannon'
import { readFileSync } from 'node:fs'

import { WARM_UP_SECONDS } from './warm-up.ts'

/* A process that loads the server with autocannon. Its argument is a file with a Job as JSON; it prints the result as JSON. */
interface Job {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly requests: readonly { readonly path: string; readonly headers?: Record<string, string> }[]
  /** True makes each URL new: a number replaces `{new}` in its path, or it gets a parameter that the service ignores. */
  readonly areNew: boolean
  readonly status: number
  /** True makes each connection that of another client, behind a trusted proxy. */
  readonly areManyClients?: boolean
}

const job = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job
const milliseconds: number[] = []
let wrong = 0
let clients = 0
let sent = 0
const newUrl = (path: string) =>
  path.includes('{new}')
    ? path.replace('{new}', String(1_000_000 + sent++))
    : `${path}${path.includes('?') ? '&' : '?'}bench=${sent++}`
const requests = job.requests.map((request) => ({
  method: 'GET' as const,
  ...request,
  ...(job.areNew ? { setupRequest: <R>(current: R): R => ({ ...current, path: newUrl(request.path) }) } : {}),
}))
const load = { url: job.url, connections: job.connections, headers: { 'user-agent': 'fixpoint-bench' }, requests }
const requestsOf = (client: number) =>
  job.areManyClients
    ? requests.map((request) => ({ ...request, headers: { ...request.headers, 'x-forwarded-for': `198.51.100.${client % 250}` } }))
    : requests
await autocannon({ ...load, duration: WARM_UP_SECONDS })
const result = await autocannon({
  ...load,
  duration: job.seconds,
  // The histogram of autocannon has a resolution of one millisecond, which is too coarse.
  setupClient(client) {
    // Each connection begins with another request, like in database-loop.ts, so that slow rows do not measure the largest cities only.
    const start = (clients * 37) % requests.length
    const own = requestsOf(clients++)
    client.setRequests([...own.slice(start), ...own.slice(0, start)])
    client.on('response', (status, _bytes, ms) => {
      if (status === job.status) milliseconds.push(ms)
      else wrong += 1
    })
  },
})
milliseconds.sort((a, b) => a - b)
const percentile = (share: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
process.stdout.write(
  JSON.stringify({
    perSecond: milliseconds.length / result.duration,
    p50: percentile(0.5),
    p99: percentile(0.99),
    errors: result.errors + wrong,
  }),
)
