import { connect } from 'node:net'

/** Opens streams of changes, and measures the time from the change of an issue to the byte that says so. The clock is that of the database's machine. */
export interface StreamJob {
  readonly url: string
  /** One for each stream. Every stream has the address of another client, so that the limits of one do not matter. */
  readonly paths: readonly string[]
}

export interface StreamSpeed {
  readonly events: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** One of so many streams is read; the others only receive, so that this process does not slow the measured one. */
const READ_EVERY = 20
const OPENING = 50

let latencies: number[] = []
let events = 0

function open(path: string, index: number, { hostname, port }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('latin1').on('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\nuser-agent: fixpoint-bench\r\nx-forwarded-for: ${client}\r\n\r\n`)
    const read = (chunk: string) => {
      const now = Date.now()
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        for (const [, at = ''] of text.slice(0, end).matchAll(/"kind":"\w+","at":"([^"]+)"/g)) {
          events++
          latencies.push(now - Date.parse(at))
        }
        text = text.slice(end + 2)
      }
    }
    socket.on('data', function began(chunk: string) {
      text += chunk
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text))
      if (!text.includes('event: start')) return
      text = ''
      socket.off('data', began)
      if (index % READ_EVERY === 0) socket.on('data', read)
      else socket.resume()
      resolve()
    })
  })
}

/** Streams open until the parent disconnects. A message `begin` starts a measurement, and any other one ends it. */
process.once('message', (job: StreamJob) => void start(job))
process.once('disconnect', () => process.exit())

async function start(job: StreamJob): Promise<void> {
  let next = 0
  const work = async () => {
    for (let n = next++; n < job.paths.length; n = next++) await open(job.paths[n] ?? '', n, new URL(job.url))
  }
  await Promise.all(Array.from({ length: OPENING }, work))
  process.on('message', (message) => {
    const sorted = latencies.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    process.send?.({ events: events * READ_EVERY, p50: at(0.5), p99: at(0.99) } satisfies StreamSpeed)
    if (message === 'begin') [latencies, events] = [[], 0]
  })
  process.send?.('ready')
}
