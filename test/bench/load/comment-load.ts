import pg from 'pg'

import { type BareComment, commentStatements } from '../comment-rows.ts'
import { REPORTERS, reporterToken } from '../report-rows.ts'

/* A process that sends comments over HTTP or as bare statements. Its argument is a CommentJob as JSON; it prints the result as JSON. */
export interface CommentJob {
  readonly way: 'bare' | 'json'
  readonly url: string
  readonly databaseUrl: string
  readonly connections: number
  readonly seconds: number
  /** Number of issues, with ids from 1. */
  readonly issues: number
}

const job = JSON.parse(process.argv[2] ?? '{}') as CommentJob
const begun = performance.now()
const until = begun + job.seconds * 1_000
const milliseconds: number[] = []
let errors = 0
let count = 0

/** Texts differ, because the third equal text of a user would be pending review. */
const nextText = () => `Still there, says number ${Math.round(begun)}-${++count}.`
const issueFor = (number: number) => 1 + ((number * 7_919) % job.issues)

async function bareLoop(start: number): Promise<void> {
  const client = new pg.Client({ connectionString: job.databaseUrl, options: '-c timezone=UTC -c jit=off' })
  await client.connect()
  for (let commenter = start; performance.now() < until; commenter = 1 + (commenter % REPORTERS)) {
    const began = performance.now()
    const comment: BareComment = { text: nextText(), issue: issueFor(count), commenter }
    await client.query('BEGIN')
    let ids: Readonly<Record<string, unknown>> = {}
    for (const { name, text, values } of commentStatements) {
      const { rows } = await client.query<{ id: number }>({ name, text, values: values(comment, ids) })
      ids = { ...ids, [name]: rows[0]?.id }
    }
    await client.query('COMMIT')
    milliseconds.push(performance.now() - began)
  }
  await client.end()
}

async function httpLoop(start: number): Promise<void> {
  for (let commenter = start; performance.now() < until; commenter = 1 + (commenter % REPORTERS)) {
    const body = JSON.stringify({ comment: nextText() })
    const began = performance.now()
    const response = await fetch(`${job.url}/api/v2/issues/${issueFor(count)}/comments`, {
      method: 'POST',
      headers: {
        ...{ 'user-agent': 'fixpoint-bench', 'content-type': 'application/json' },
        authorization: `Bearer ${reporterToken(commenter)}`,
      },
      body,
    })
    await response.arrayBuffer()
    milliseconds.push(performance.now() - began)
    if (response.status !== 201) errors += 1
  }
}

const loops = Array.from({ length: job.connections }, (_, n) => (job.way === 'bare' ? bareLoop(1 + n * 60) : httpLoop(1 + n * 60)))
await Promise.all(loops)
const seconds = (performance.now() - begun) / 1_000
milliseconds.sort((a, b) => a - b)
const percentile = (share: number) => milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? 0
process.stdout.write(
  JSON.stringify({ perSecond: milliseconds.length / seconds, p50: percentile(0.5), p99: percentile(0.99), errors }),
)
