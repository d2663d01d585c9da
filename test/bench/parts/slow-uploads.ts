import { once } from 'node:events'
import { type ClientRequest, request as ask } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'

import { UPLOAD_BYTES_MAX } from '../../../src/http/request/upload.ts'
import type { ReportJob } from '../load/report-load.ts'
import { reportAnswers, reporterToken } from '../report-rows.ts'
import type { Goal } from '../report.ts'
import { residentMb } from '../resident.ts'

const CONNECTIONS = 16
const MB = 1024 * 1024
const IN_FLIGHT_MB = (CONNECTIONS * UPLOAD_BYTES_MAX) / MB
/** Maximum part of the bytes in flight that the server may add to its memory. */
const SHARE_MAX = 0.25
/** The time over which pictures arrive, and for which their last bytes are withheld. */
const ARRIVING_MS = 6_000
const HELD_MS = 1_000
const WARMING = 4
const WARMING_MS = 1_000
const CHUNK = 64 * 1024
/** A JPEG comment (ITU-T T.81, B.2.4.5): marker, two bytes of length, which include themselves, and at most 65,533 bytes of text. */
const COMMENT = 0xff_fe
const SEGMENT_MAX = 65_537
const BOUNDARY = 'fixpoint-bench-boundary'

type Job = Pick<ReportJob, 'url' | 'lng' | 'lat'>

/** A small picture in a file of nearly 20 MB: the rest is comments, which are read over and thrown away, so that little is decoded. */
async function largeFile(): Promise<Buffer> {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const parts = [picture.subarray(0, 2)]
  for (let left = UPLOAD_BYTES_MAX - picture.length; left > SEGMENT_MAX; left -= SEGMENT_MAX) {
    const segment = Buffer.alloc(SEGMENT_MAX, 'fixpoint')
    segment.writeUInt16BE(COMMENT, 0)
    segment.writeUInt16BE(SEGMENT_MAX - 2, 2)
    parts.push(segment)
  }
  return Buffer.concat([...parts, picture.subarray(2)])
}

function bodyOf(file: Buffer, { lng, lat }: Job, name: string): Buffer {
  const fields = { lng, lat, address: '1437 Bannock St', request_type_id: 1000 }
  const answers = Object.entries(reportAnswers(`A slow picture ${name}`)).map(([key, value]) => [`answers[${key}]`, value] as const)
  const parts = [...Object.entries(fields), ...answers].map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const disposition = 'content-disposition: form-data; name="answers[issue_image]"; filename="a.jpg"'
  const head = `${parts.join('')}--${BOUNDARY}\r\n${disposition}\r\ncontent-type: image/jpeg\r\n\r\n`
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

/** Sends all but the last bytes evenly over the time, says so, and sends these when it may. @returns the status, 0 where there was none */
async function sendSlowly(
  sending: ClientRequest,
  body: Buffer,
  { arrivingMs, arrived, mayEnd }: { readonly arrivingMs: number; readonly arrived: () => void; readonly mayEnd: Promise<void> },
): Promise<number> {
  const answered = new Promise<number>((resolve) => {
    sending.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sending.once('error', () => resolve(0))
  })
  const began = performance.now()
  const last = body.length - CHUNK
  for (let sent = 0; sent < last; sent += CHUNK) {
    const due = began + (arrivingMs * sent) / last
    if (due > performance.now()) await wait(due - performance.now())
    if (sending.errored) break
    if (!sending.write(body.subarray(sent, Math.min(sent + CHUNK, last)))) await Promise.race([once(sending, 'drain'), answered])
  }
  arrived()
  await mayEnd
  sending.end(body.subarray(last))
  return answered
}

/** Sends so many at once. `whenIn` is awaited when all but the last bytes of each are there. @returns the statuses */
async function sendAll(file: Buffer, job: Job, count: number, arrivingMs: number, whenIn: () => Promise<void>): Promise<number[]> {
  const [all, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let arriving = count
  const arrived = () => {
    arriving -= 1
    if (arriving === 0) all.resolve()
  }
  const sendings = Array.from({ length: count }, (_, n) => {
    const body = bodyOf(file, job, `${count}-${n}`)
    const headers = {
      'user-agent': 'fixpoint-bench',
      authorization: `Bearer ${reporterToken(1 + n * 60)}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': body.length,
    }
    const sending = ask(`${job.url}/api/v2/issues`, { method: 'POST', headers, agent: false })
    return sendSlowly(sending, body, { arrivingMs, arrived, mayEnd: end.promise })
  })
  await all.promise
  await whenIn()
  end.resolve()
  return Promise.all(sendings)
}

/** Measures how much the memory of the server grows while it receives 320 MB of pictures at once. */
export async function measureInFlight(job: Job, pid: number, say: (line: string) => void): Promise<Goal> {
  const file = await largeFile()
  // The warm-up loads the code and buffers that an upload needs.
  const warm = await sendAll(file, job, WARMING, WARMING_MS, async () => {})
  await wait(HELD_MS)
  const before = residentMb(pid)
  let [most, inFlight] = [before, before]
  const timer = setInterval(() => (most = Math.max(most, residentMb(pid))), 50)
  const measured = await sendAll(file, job, CONNECTIONS, ARRIVING_MS, async () => {
    await wait(HELD_MS)
    inFlight = most
  })
  clearInterval(timer)
  const wrong = [...warm, ...measured].filter((status) => status !== 201)
  const growth = most - before
  say(
    `${CONNECTIONS} pictures of 20 MB at once: ${before} MB before, ${inFlight - before} MB more while they come, ${growth} MB until all are answered`,
  )
  return {
    text: `memory with ${IN_FLIGHT_MB} MB of pictures in flight grows by ${growth} MB, ${wrong.length} wrong answers, goal < ${SHARE_MAX} of them`,
    reached: growth < SHARE_MAX * IN_FLIGHT_MB && wrong.length === 0,
  }
}
