import fc from 'fast-check'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { engine } from '../../helpers/database.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { isLong, runs } from '../../helpers/long.ts'
import { useApp } from '../../helpers/use-app.ts'
import { waitForTransactions } from './committed.ts'
import { followStream, type Item } from './follow-stream.ts'
import { write } from './random-writes.ts'

const WRITERS = engine === 'server' ? 4 : 1
const ROUNDS = isLong ? 250 : 4
/** The writes of each writer in a round. All rounds of test:long have 100,000. */
const WRITES = isLong ? 100_000 / ROUNDS / WRITERS : 30
const ISSUES = 60

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'

describe('a copy that applies the changes of a list', { timeout: 3_600_000 }, () => {
  const app = useApp({ keepRows: true, ownApp: true, env: { STREAM_SECONDS_MAX: '3600' } })

  it('equals the list after random changes by concurrent writers with long transactions, deletions and roll-ups, by pages and by streams that are cut', async () => {
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

    const url = await app.fastify.listen({ port: 0, host: '127.0.0.1' })

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
        const streams = copies.map(({ list, since, issues }) => followStream(url, { list, since, issues: new Map(issues) }))
        let isWriting = true
        const writing = Promise.all(
          scripts.map(async (writes) => {
            for (const one of writes) await one(db)
          }),
        ).finally(() => (isWriting = false))
        do {
          for (const copy of copies) await follow(copy, perPage)
          streams[Math.floor(Math.random() * streams.length)]?.cut()
          await pause(5)
        } while (isWriting)
        await writing
        await waitForTransactions(db)
        for (const copy of copies) {
          await follow(copy, perPage)
          const { issues } = await readList(copy.list)
          const expected = issues.map((issue) => [issue.id, issue]).sort(([a], [b]) => Number(a) - Number(b))
          const inOrder = (copied: ReadonlyMap<number, unknown>) => [...copied].sort(([a], [b]) => a - b)
          expect({ list: copy.list, issues: inOrder(copy.issues) }).toEqual({ list: copy.list, issues: expected })
          const streamed = streams[copies.indexOf(copy)]
          await vi.waitFor(
            () =>
              expect({ list: copy.list, streamed: inOrder(streamed?.issues ?? new Map()) }).toEqual({
                list: copy.list,
                streamed: expected,
              }),
            { timeout: 60_000, interval: 50 },
          )
        }
        await Promise.all(streams.map((stream) => stream.end()))
        await db.execute(sql`DELETE FROM issues WHERE id IN (SELECT i.id FROM issues i ORDER BY i.id DESC OFFSET ${ISSUES})`)
      }),
      { ...runs(ROUNDS), numRuns: ROUNDS, endOnFailure: true },
    )
  })
})
