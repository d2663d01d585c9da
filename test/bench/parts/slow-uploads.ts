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
/** Maximum growth of the server's memory, as a share of the bytes in flight. */
const SHARE_MAX = 0.25
/** Duration of an upload without its last bytes, and the pause before these. */
const UPLOAD_MS = 6_000
const PAUSE_MS = 1_000
const WARM_UP_UPLOADS = 4
const WARM_UP_MS = 1_000
const CHUNK = 64 * 1024
/** A JPEG comment (ITU-T T.81, B.2.4.5): marker, two bytes of length, which include themselves, and at most 65,533 bytes of text. */
const COMMENT = 0xff_fe
const SEGMENT_MAX = 65_537
const BOUNDARY = 'fixpoint-bench-boundary'

type Job = Pick<ReportJob, 'url' | 'lng' | 'lat'>

/** Returns a JPEG of nearly 20 MB with few pixels. The rest is comments, which the decoder skips. */
async function largeFile(): Promise<Buffer> {
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const parts = [image.subarray(0, 2)]
  for (let left = UPLOAD_BYTES_MAX - image.length; left > SEGMENT_MAX; left -= SEGMENT_MAX) {
    const segment = Buffer.alloc(SEGMENT_MAX, 'fixpoint')
    segment.writeUInt16BE(COMMENT, 0)
    segment.writeUInt16BE(SEGMENT_MAX - 2, 2)
    parts.push(segment)
  }
  return Buffer.concat([...parts, image.subarray(2)])
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

/** Sends all but the last bytes evenly over the time, then waits and sends these. Returns the status, or 0 without a response. */
async function sendSlowly(
  sending: ClientRequest,
  body: Buffer,
  { uploadMs, arrived, continued }: { readonly uploadMs: number; readonly arrived: () => void; readonly continued: Promise<void> },
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
    const due = began + (uploadMs * sent) / last
    if (due > performance.now()) await wait(due - performance.now())
    if (sending.errored) break
    if (!sending.write(body.subarray(sent, Math.min(sent + CHUNK, last)))) await Promise.race([once(sending, 'drain'), answered])
  }
  arrived()
  await continued
  sending.end(body.subarray(last))
  return answered
}

async function sendAll(file: Buffer, job: Job, count: number, uploadMs: number, beforeEnd: () => Promise<void>): Promise<number[]> {
  const [all, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let pending = count
  const arrived = () => {
    pending -= 1
    if (pending === 0) all.resolve()
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
    return sendSlowly(sending, body, { uploadMs, arrived, continued: end.promise })
  })
  await all.promise
  await beforeEnd()
  end.resolve()
  return Promise.all(sendings)
}

/** Measures how much the memory of the server grows while it receives 320 MB of images at once. */
export async function measureInFlight(job: Job, pid: number, say: (line: string) => void): Promise<Goal> {
  const file = await largeFile()
  // The warm-up loads the code and buffers that an upload needs.
  const warm = await sendAll(file, job, WARM_UP_UPLOADS, WARM_UP_MS, async () => {})
  await wait(PAUSE_MS)
  const before = residentMb(pid)
  let [most, inFlight] = [before, before]
  const timer = setInterval(() => (most = Math.max(most, residentMb(pid))), 50)
  const measured = await sendAll(file, job, CONNECTIONS, UPLOAD_MS, async () => {
    await wait(PAUSE_MS)
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
