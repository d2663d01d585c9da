import pg from 'pg'
import sharp from 'sharp'

import { reportAnswers, reportStatements, REPORTERS, reporterToken } from '../report-rows.ts'

/* A process that sends reports over HTTP or as bare statements. Its argument is a ReportJob as JSON; it prints the result as JSON. */
export interface ReportJob {
  /** `image` sends multipart/form-data with 2 MB. */
  readonly way: 'bare' | 'json' | 'picture'
  readonly url: string
  readonly databaseUrl: string
  readonly connections: number
  readonly seconds: number
  readonly lng: number
  readonly lat: number
}

const job = JSON.parse(process.argv[2] ?? '{}') as ReportJob
const { url, lng, lat } = job
const begun = performance.now()
const until = begun + job.seconds * 1_000
const milliseconds: number[] = []
let errors = 0
let count = 0

/** Texts differ, because the third equal text of a user would be pending review. */
const nextSummary = () => `Pothole number ${Math.round(begun)}-${++count}`
const place = () => ({ lng: lng + ((count % 97) - 48) / 1_000, lat: lat + ((count % 89) - 44) / 1_000 })

async function bareLoop(start: number): Promise<void> {
  const client = new pg.Client({ connectionString: job.databaseUrl, options: '-c timezone=UTC -c jit=off' })
  await client.connect()
  const run = (name: (typeof reportStatements)[number]['name'], values: unknown[]) =>
    client.query<{ id: number }>({ name, text: reportStatements.find((statement) => statement.name === name)?.text ?? '', values })
  for (let reporter = start; performance.now() < until; reporter = 1 + (reporter % REPORTERS)) {
    const began = performance.now()
    const at = place()
    await client.query('BEGIN')
    const { rows } = await run('issue', [nextSummary(), at.lng, at.lat, reporter])
    const id = rows[0]?.id
    await run('history', [id, reporter])
    await run('answers', [id])
    await run('follow', [id, reporter])
    await run('points', [reporter])
    await run('event', [id, reporter])
    await client.query('COMMIT')
    milliseconds.push(performance.now() - began)
  }
  await client.end()
}

async function httpLoop(start: number, image: Blob | undefined): Promise<void> {
  for (let reporter = start; performance.now() < until; reporter = 1 + (reporter % REPORTERS)) {
    const body = image ? form(image) : JSON.stringify({ ...fields(), answers: reportAnswers(nextSummary()) })
    const headers = { 'user-agent': 'fixpoint-bench', authorization: `Bearer ${reporterToken(reporter)}` }
    const began = performance.now()
    const response = await fetch(`${url}/api/v2/issues`, {
      method: 'POST',
      headers: image ? headers : { ...headers, 'content-type': 'application/json' },
      body,
    })
    await response.arrayBuffer()
    milliseconds.push(performance.now() - began)
    if (response.status !== 201) errors += 1
  }
}

const fields = () => ({ ...place(), address: '1437 Bannock St', request_type_id: 1000, device_os: 'Android 16' })

function form(image: Blob): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields())) data.append(name, String(value))
  for (const [key, value] of Object.entries(reportAnswers(nextSummary()))) data.append(`answers[${key}]`, String(value))
  data.append('answers[issue_image]', image, 'street.jpg')
  return data
}

/** Returns a JPEG of about 2 MB; noise compresses badly. */
async function createNoiseImage(): Promise<Blob> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const image = sharp({ create: { width: 2_400, height: 1_800, channels: 3, background: 'white', noise } })
  return new Blob([new Uint8Array(await image.jpeg({ quality: 80 }).toBuffer())])
}

const image = job.way === 'picture' ? await createNoiseImage() : undefined
const loops = Array.from({ length: job.connections }, (_, n) =>
  job.way === 'bare' ? bareLoop(1 + n * 60) : httpLoop(1 + n * 60, image),
)
await Promise.all(loops)
const seconds = (performance.now() - begun) / 1_000
milliseconds.sort((a, b) => a - b)
const percentile = (share: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
process.stdout.write(
  JSON.stringify({
    perSecond: milliseconds.length / seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    errors,
    bytes: image?.size ?? 0,
  }),
)
