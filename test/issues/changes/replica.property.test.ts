import fc from 'fast-check'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { type Database, type Executable, sql } from '../../../src/database/database.ts'
import { rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { statuses } from '../../../src/issue-lifecycle/status.ts'
import { engine } from '../../helpers/database.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { isLong, runs } from '../../helpers/long.ts'
import { useApp } from '../../helpers/use-app.ts'
import { waitForTransactions } from './committed.ts'

/** In all runs of test:long 100,000 changes. */
const ROUNDS = isLong ? 250 : 4
const WRITES = isLong ? 100 : 30
const WRITERS = engine === 'server' ? 4 : 1
const ISSUES = 60

type Write = (db: Database) => Promise<unknown>

const around = fc.record({
  lng: fc.double({ min: GREEN.lng - 0.3, max: GREEN.lng + 0.3, noNaN: true }),
  lat: fc.double({ min: GREEN.lat - 0.3, max: GREEN.lat + 0.3, noNaN: true }),
})
const state = fc.constantFrom('passed', 'passed', 'passed', 'held')
const status = fc.constantFrom(...statuses)
const anIssue = sql`(SELECT i.id FROM issues i ORDER BY random() LIMIT 1)`

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(around, state, status).map(
    ([{ lng, lat }, moderation, one]): Write =>
      (db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`
        INSERT INTO issues (summary, status, lng, lat, moderation_state) VALUES ('New pothole', ${one}::issue_status, ${lng}, ${lat}, ${moderation}::moderation_state)`)
          await longer(tx)
        }),
  ),
  status.map(
    (one): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET status = ${one}::issue_status WHERE id = ${anIssue}`),
  ),
  fc.constantFrom('A pothole', 'A lamp').map(
    (words): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET summary = ${words} WHERE id = ${anIssue}`),
  ),
  state.map(
    (moderation): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET moderation_state = ${moderation}::moderation_state WHERE id = ${anIssue}`),
  ),
  around.map(
    ({ lng, lat }): Write =>
      (db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`UPDATE issues SET lng = ${lng}, lat = ${lat} WHERE id = ${anIssue}`)
          await longer(tx)
        }),
  ),
  fc.constant<Write>((db) =>
    db.execute(sql`UPDATE issues SET vote_count = vote_count + 1, updated_at = clock_timestamp() WHERE id = ${anIssue}`),
  ),
  fc.constant<Write>((db) => db.execute(sql`DELETE FROM issues WHERE id = ${anIssue}`)),
  fc.constant<Write>((db) => rollUpCellChanges(db)),
)

/** Later transactions commit before this one. */
const longer = async (tx: Executable) => {
  if (engine === 'server') await tx.execute(sql`SELECT pg_sleep(random() / 10)`)
}

interface Item {
  readonly id: number
  readonly issue: { readonly id: number } | null
}

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'

describe('a copy that applies the changes of a list', { timeout: 3_600_000 }, () => {
  const app = useApp({ keepRows: true })

  it('equals the list after random changes by concurrent writers with long transactions, deletions and roll-ups', async () => {
    const { as, create, db } = app
    await create.place({ url_name: 'around', around: GREEN, size: 0.15 })
    const token = await create.watchArea({ of: await create.user(), area: square(GREEN, 0.2) })
    const polygon = encodeURIComponent(JSON.stringify(square({ lng: GREEN.lng + 0.05, lat: GREEN.lat }, 0.2)))
    const lists = [
      'status=open,acknowledged,closed,archived',
      `${BOX}`,
      `${BOX}&status=open`,
      `${BOX}&search=pothole`,
      `${BOX}&updated_at_before=2100-01-01`,
      'place_url=around&status=open,closed',
      `watcher_token=${token}`,
      `area=${polygon}&status=archived`,
      `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=9000&request_types=other`,
    ]

    const readList = async (list: string) => {
      const issues: { readonly id: number }[] = []
      let cursor = ''
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { body, headers } = await as.anonymous.get(`/issues?${list}&per_page=100&page=${page}`)
        if (page === 1) cursor = String(headers['x-changes-cursor'])
        const found = body as { issues: { id: number }[]; metadata: { pagination: { pages: number } } }
        issues.push(...found.issues)
        pages = found.metadata.pagination.pages
      }
      return { issues, cursor }
    }
    const follow = async (
      copy: { readonly list: string; since: string; readonly issues: Map<number, unknown> },
      perPage: number,
    ) => {
      for (let hasMore = true; hasMore;) {
        const { body, status: code } = await as.anonymous.get(`/changes?${copy.list}&per_page=${perPage}&since=${copy.since}`)
        expect(code).toBe(200)
        const found = body as { changes: Item[]; next_since: string; has_more: boolean }
        for (const { id, issue } of found.changes)
          if (issue) copy.issues.set(id, issue)
          else copy.issues.delete(id)
        copy.since = found.next_since
        hasMore = found.has_more
      }
    }

    const script = fc.array(write, { minLength: WRITES, maxLength: WRITES })
    const round = fc.tuple(fc.array(script, { minLength: WRITERS, maxLength: WRITERS }), fc.integer({ min: 1, max: 12 }))
    await fc.assert(
      fc.asyncProperty(round, async ([scripts, perPage]) => {
        const copies = await Promise.all(
          lists.map(async (list) => {
            const { issues, cursor } = await readList(list)
            return { list, since: cursor, issues: new Map<number, unknown>(issues.map((issue) => [issue.id, issue])) }
          }),
        )
        let isWriting = true
        const writing = Promise.all(
          scripts.map(async (writes) => {
            for (const one of writes) await one(db)
          }),
        ).finally(() => (isWriting = false))
        do {
          for (const copy of copies) await follow(copy, perPage)
          await pause(5)
        } while (isWriting)
        await writing
        await waitForTransactions(db)
        for (const copy of copies) {
          await follow(copy, perPage)
          const { issues } = await readList(copy.list)
          const inOrder = [...copy.issues].sort(([a], [b]) => a - b)
          expect({ list: copy.list, issues: inOrder }).toEqual({
            list: copy.list,
            issues: issues.map((issue) => [issue.id, issue]).sort(([a], [b]) => Number(a) - Number(b)),
          })
        }
        await db.execute(sql`DELETE FROM issues WHERE id IN (SELECT i.id FROM issues i ORDER BY i.id DESC OFFSET ${ISSUES})`)
      }),
      { ...runs(ROUNDS), numRuns: ROUNDS, endOnFailure: true },
    )
  })
})
