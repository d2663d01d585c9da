import { connect, type Socket } from 'node:net'

/*
 * A process that sends requests at a fixed rate, however fast they are answered. Each latency counts from the time at which its request was due.
 * Its argument is an OpenLoopJob as JSON; it prints an OpenLoop as JSON. Raw sockets take a fifth of the processor time of node:http, which the
 * measured process needs itself.
 */
export interface OpenLoopJob {
  readonly url: string
  /** They take one more query parameter, so that no response comes from memory. */
  readonly paths: readonly string[]
  readonly perSecond: number
  readonly seconds: number
}

export interface OpenLoop {
  /** Responses with status 200 per second. */
  readonly perSecond: number
  /** Latencies of these responses, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Responses with status 503 per second. */
  readonly refusalsPerSecond: number
  /** The 99th percentile of their latencies, in milliseconds. */
  readonly refusalP99: number
  /** Number of other responses and of broken connections. */
  readonly errors: number
}

const CONNECTIONS_MAX = 2_000
const TICK_MS = 4
/** The first seconds open connections and fill the queue. They are not counted. */
const WARM_UP_MS = 3_000
/** Requests that have no response by then count as errors. */
const LAST_RESPONSES_MS = 6_000

interface Request {
  readonly path: string
  readonly due: number
}

const job = JSON.parse(process.argv[2] ?? '{}') as OpenLoopJob
const { hostname, port } = new URL(job.url)
const latencies = { 200: [] as number[], 503: [] as number[] }
let [sent, opened, counted] = [0, 0, 0]
const waiting: Request[] = []
const free: ((request: Request) => void)[] = []

function record(status: number, { due }: Request): void {
  if (due < begun + WARM_UP_MS) return
  if (status === 200 || status === 503) latencies[status].push(performance.now() - due)
}

/** Opens a connection that sends one request after the other. */
function open(first: Request): void {
  opened += 1
  let current: Request | undefined
  let [head, bytesLeft] = ['', -1]
  const socket: Socket = connect(Number(port), hostname)
  const send = (request: Request) => {
    current = request
    bytesLeft = -1
    socket.write(`GET ${request.path} HTTP/1.1\r\nHost: ${hostname}\r\nUser-Agent: fixpoint-bench\r\n\r\n`)
  }
  const end = () => {
    if (current) record(Number(head.slice(9, 12)), current)
    current = undefined
    head = ''
    const next = waiting.shift()
    if (next) send(next)
    else free.push(send)
  }
  socket.setNoDelay(true)
  socket.once('connect', () => send(first))
  socket.on('data', (chunk) => {
    let body = chunk.length
    if (bytesLeft < 0) {
      head += chunk.toString('latin1')
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined) throw new Error(`A response has no length: ${head.slice(0, headEnd)}`)
      bytesLeft = Number(length)
      body = head.length - headEnd - 4
    }
    bytesLeft -= body
    if (bytesLeft === 0) end()
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    opened -= 1
    const index = free.indexOf(send)
    if (index >= 0) free.splice(index, 1)
  })
}

function start(request: Request): void {
  if (request.due >= begun + WARM_UP_MS) counted += 1
  const send = free.pop()
  if (send) send(request)
  else if (opened < CONNECTIONS_MAX) open(request)
  else waiting.push(request)
}

const begun = performance.now()
const endAt = begun + WARM_UP_MS + job.seconds * 1_000
while (performance.now() < endAt) {
  const now = Math.min(performance.now(), endAt)
  for (let due = begun + (sent * 1_000) / job.perSecond; due <= now; due = begun + (sent * 1_000) / job.perSecond) {
    start({ path: `${job.paths[sent % job.paths.length]}&bench=${sent}`, due })
    sent += 1
  }
  await new Promise((resolve) => setTimeout(resolve, TICK_MS))
}
const responses = () => latencies[200].length + latencies[503].length
while (responses() < counted && performance.now() < endAt + LAST_RESPONSES_MS)
  await new Promise((resolve) => setTimeout(resolve, TICK_MS))

const percentile = (numbers: number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0
const result: OpenLoop = {
  perSecond: latencies[200].length / job.seconds,
  p50: percentile(latencies[200], 0.5),
  p99: percentile(latencies[200], 0.99),
  refusalsPerSecond: latencies[503].length / job.seconds,
  refusalP99: percentile(latencies[503], 0.99),
  errors: counted - responses(),
}
process.stdout.write(JSON.stringify(result))
process.exit()
