import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { get, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'

import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { postgresBin, startPostgres, waitForPostgres } from '../../kill/servers.ts'
import { startService, waitUntilReady } from '../../kill/service.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { isLong } from '../../helpers/long.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'
import { waitForTransactions } from './committed.ts'

const KILLS = Number(process.env['KILLS'] ?? (isLong ? 100 : 4))
const WRITERS = 4
/** Half of all responses are cut within this number of bytes. */
const CUT_BYTES = 40_000

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'
const LISTS = [
  'status=open,acknowledged,closed,archived',
  BOX,
  `${BOX}&status=open`,
  `area=${encodeURIComponent(JSON.stringify(square({ lng: GREEN.lng + 0.05, lat: GREEN.lat }, 0.2)))}&status=archived`,
]

const ONE = '(SELECT i.id FROM issues i ORDER BY random() LIMIT 1)'
const STATUS = "(ARRAY['Open', 'Acknowledged', 'Closed', 'Archived'])[1 + floor(random() * 4)]::issue_status"
const LNG = `${GREEN.lng} + random() * 0.6 - 0.3`
const LAT = `${GREEN.lat} + random() * 0.6 - 0.3`
const INSERT = `INSERT INTO issues (summary, status, lng, lat) SELECT 'New pothole', ${STATUS}, ${LNG}, ${LAT}`
const WRITES = [
  INSERT,
  // Later transactions commit before this one.
  `WITH added AS (${INSERT} RETURNING id) SELECT pg_sleep(random() / 5) FROM added`,
  `UPDATE issues SET status = ${STATUS} WHERE id = ${ONE}`,
  `UPDATE issues SET moderation_state = 'held' WHERE id = ${ONE}`,
  `UPDATE issues SET moderation_state = 'passed' WHERE moderation_state = 'held'`,
  `UPDATE issues SET lng = ${LNG}, lat = ${LAT} WHERE id = ${ONE}`,
  `UPDATE issues SET vote_count = vote_count + 1, updated_at = clock_timestamp() WHERE id = ${ONE}`,
  `DELETE FROM issues WHERE id = ${ONE} AND (SELECT count(*) FROM issues) > 50`,
]

interface Item {
  readonly id: number
  readonly issue: { readonly id: number } | null
}

interface Copy {
  readonly list: string
  readonly issues: Map<number, unknown>
  since: string
}

const pick = <One>(from: readonly One[]): One => from[Math.floor(Math.random() * from.length)] as One

/** Reads a response, which may be cut after some bytes, and returns its status if it is whole. */
async function read(
  url: string,
  headers: IncomingHttpHeaders,
  mayCut: boolean,
  onText: (text: string) => void,
): Promise<number | undefined> {
  let left = mayCut && Math.random() < 0.5 ? Math.floor(Math.random() * CUT_BYTES) : Infinity
  return new Promise((resolve) => {
    const request = get(
      url,
      { headers: { ...headers, 'user-agent': 'fixpoint-tests' }, agent: false, timeout: 5_000 },
      (response) => {
        response.on('data', (part: Buffer) => {
          const taken = part.subarray(0, left)
          left -= taken.length
          if (response.statusCode === 200 || response.statusCode === 410) onText(taken.toString('latin1'))
          if (left <= 0) request.destroy()
        })
        response.once('end', () => resolve(response.complete && left > 0 ? response.statusCode : undefined))
        response.once('close', () => resolve(undefined))
      },
    )
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(undefined))
  })
}

it.runIf(testDatabaseUrl !== undefined && postgresBin() !== undefined)(
  'copies that follow pages and streams, cut anywhere, equal the lists after kills of web processes and of the database',
  { timeout: 1_800_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fixpoint-changes-'))
    chmodSync(folder, 0o755)
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    const postgres = await startPostgres(folder)
    onTestFinished(() => postgres.stop())
    const db = openPostgres({ url: postgres.url })
    onTestFinished(() => db.close())
    await migrate(db)
    const sink = { urlFor: () => 'smtp://127.0.0.1:9' }
    const { urls, web } = await startService({ folder, databaseUrl: postgres.url, redisUrl: undefined, sink, web: 2, workers: 0 })
    onTestFinished(() => Promise.all(web.map((one) => one.stop())).then(() => undefined))
    await waitUntilReady(urls)
    const pool = new pg.Pool({ connectionString: postgres.url, max: WRITERS, connectionTimeoutMillis: 5_000 })
    pool.on('error', () => undefined)
    onTestFinished(() => pool.end())
    for (let n = 0; n < 50; n++) await pool.query(INSERT)

    const readList = async (list: string) => {
      const issues = new Map<number, unknown>()
      let since = ''
      for (let page = 1, pages = 1; page <= pages; page++) {
        const response = await fetch(`${urls[0]}/api/v2/issues?${list}&per_page=100&page=${page}`)
        if (page === 1) since = response.headers.get('x-changes-cursor') ?? ''
        const found = (await response.json()) as { issues: { id: number }[]; metadata: { pagination: { pages: number } } }
        for (const issue of found.issues) issues.set(issue.id, issue)
        pages = found.metadata.pagination.pages
      }
      return { list, issues, since }
    }
    const apply = ({ issues }: Copy, { id, issue }: Item) => (issue ? issues.set(id, issue) : issues.delete(id))
    const counts = { pages: 0, events: 0, cut: 0, writes: 0, kills: 0 }

    const takePage = async (copy: Copy, mayCut: boolean) => {
      let text = ''
      const url = `${pick(urls)}/api/v2/changes?${copy.list}&per_page=${mayCut ? 1 + Math.floor(Math.random() * 50) : 1_000}&since=${copy.since}`
      const status = await read(url, {}, mayCut, (more) => (text += more))
      expect(status).not.toBe(410)
      if (status !== 200) return void (counts.cut += 1)
      const page = JSON.parse(Buffer.from(text, 'latin1').toString()) as { changes: Item[]; next_since: string; has_more: boolean }
      for (const item of page.changes) apply(copy, item)
      copy.since = page.next_since
      counts.pages += 1
      return page.has_more
    }
    const takeStream = async (copy: Copy) => {
      let text = ''
      await read(`${pick(urls)}/api/v2/changes/stream?${copy.list}`, { 'last-event-id': copy.since }, true, (more) => {
        text += more
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const lines = Buffer.from(text.slice(0, end), 'latin1').toString().split('\n')
          const fields = new Map(lines.map((line) => line.split(/: (.*)/s) as [string, string]))
          text = text.slice(end + 2)
          if (fields.get('event') === 'reset') throw new Error('A stream was reset')
          if (fields.get('event') === 'change') {
            apply(copy, JSON.parse(fields.get('data') ?? '') as Item)
            counts.events += 1
          }
          copy.since = fields.get('id') ?? copy.since
        }
      })
      counts.cut += 1
    }

    const paged = await Promise.all(LISTS.map(readList))
    const streamed = await Promise.all(LISTS.map(readList))
    let isWriting = true
    let isFollowing = true
    const writers = Array.from({ length: WRITERS }, async () => {
      while (isWriting) {
        await pool.query(pick(WRITES)).then(
          () => (counts.writes += 1),
          () => pause(50),
        )
        await pause(20)
      }
    })
    const followers = [
      ...paged.map(async (copy) => {
        while (isWriting) {
          await takePage(copy, true)
          await pause(20)
        }
      }),
      ...streamed.map(async (copy) => {
        while (isFollowing) {
          await takeStream(copy)
          await pause(20)
        }
      }),
    ]
    const following = Promise.all(followers)

    for (; counts.kills < KILLS; counts.kills++) {
      await Promise.race([pause(200 + Math.random() * 2_000), following])
      const target = pick([...web, postgres])
      while (!target.isReady) await pause(20)
      await target.kill(Math.random() * 500)
    }
    await waitForPostgres(postgres.url)
    await waitUntilReady(urls)
    await pause(1_000)
    isWriting = false
    await Promise.all(writers)
    await waitForTransactions(db)
    const lists = await Promise.all(LISTS.map(readList))
    for (const copy of paged) while ((await takePage(copy, false)) !== false);
    const inOrder = (copies: readonly Copy[]) => copies.map(({ issues }) => [...issues].sort(([a], [b]) => a - b))
    expect(inOrder(paged)).toEqual(inOrder(lists))
    await expect.poll(() => inOrder(streamed), { timeout: 60_000, interval: 200 }).toEqual(inOrder(lists))
    isFollowing = false
    await Promise.all(web.map((one) => one.stop()))
    await following
    expect(counts.events).toBeGreaterThan(KILLS)
    expect(counts.pages).toBeGreaterThan(KILLS)
    if (KILLS > 4) process.stdout.write(`${JSON.stringify(counts)}\n`)
  },
)
