import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { type Sql, sql } from '../../src/database/database.ts'
import type { Direction } from '../geo/brute-force.ts'
import { issues as crowd, OLD_TOWN } from '../geo/crowd.ts'
import { fill, someIssues } from '../geo/world.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { issuesUrl, fetchAllIds, parseIssueList } from '../helpers/issue-list.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* One caller reads a list by next_page_url while others write. Issues that keep their position are returned once; others may be. */

interface Stored {
  readonly id: number
  readonly created_at: string
  readonly updated_at: string
  readonly rating: number
  readonly lng: number
  readonly lat: number
}

interface Write {
  readonly kind: 'insert' | 'move' | 'hold' | 'delete'
  readonly which: number
  readonly value: number
}

/** The small world is sorted completely, the large one is read with an index scan. */
const worlds = [
  { name: 'few', issues: someIssues(80, 6), perPages: [3, 7], few: 6 },
  { name: 'a crowd', issues: crowd, perPages: [90, 100], few: 4 },
]

const writes = fc.array(
  fc.record<Write>({
    kind: fc.constantFrom('insert', 'insert', 'move', 'hold', 'delete'),
    which: fc.nat(100_000),
    value: fc.nat(12),
  }),
  { maxLength: 5 },
)

describe.each(worlds)('next_page_url of a list of $name during concurrent writes', ({ issues, perPages, few }) => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await fill(app.db, issues)
    await app.db.execute(sql`SELECT setval(pg_get_serial_sequence('issues', 'id'), (SELECT max(i.id) FROM issues i))`)
    await app.db.execute(sql`ANALYZE issues`)
  })

  const stored = () =>
    queryRows<Stored>(
      app.db,
      sql`
      SELECT i.id, i.created_at, i.updated_at, i.rating, i.lng, i.lat FROM issues i
      WHERE i.moderation_state = 'passed' AND i.status <> 'Archived' ORDER BY i.id`,
    )

  /** Returns the issue that changed its position or is new. */
  async function write({ kind, which, value }: Write): Promise<{ touched?: number; added?: number }> {
    const all = await stored()
    const like = all[which % all.length]
    const other = all[(which * 7 + value) % all.length]
    if (!like || !other) return {}
    if (kind === 'insert') {
      const [row] = await queryRows<{ id: number }>(
        app.db,
        sql`
        INSERT INTO issues (summary, lng, lat, base_rating, created_at, updated_at)
        VALUES ('New', ${like.lng}, ${like.lat}, ${like.rating}, ${like.created_at}::timestamptz, ${like.updated_at}::timestamptz)
        RETURNING id`,
      )
      return { added: row?.id ?? 0 }
    }
    await app.db.execute(changeOf(kind, like.id, other))
    return { touched: like.id }
  }

  it('returns unchanged issues exactly once in their order, and no issue twice that did not move', async () => {
    const isRead = async (sort: string, direction: Direction, perPage: number, batches: readonly (readonly Write[])[]) => {
      const list = { ...OLD_TOWN, sort, sort_direction: direction }
      const { ids: before } = await fetchAllIds(app.as.anonymous, list)
      const touched = new Set<number>()
      const seen: number[] = []
      let address: string | null = issuesUrl({ ...list, per_page: perPage })
      for (let page = 0; address !== null; page++) {
        const answer: ApiResponse = await app.as.anonymous.get(address)
        const { issues: found, pagination } = parseIssueList(answer)
        seen.push(...found.map(({ id }) => id))
        address = pagination.next_page_url?.replace(`${PUBLIC_URL}/api/v2`, '') ?? null
        for (const one of batches[page] ?? []) touched.add((await write(one)).touched ?? 0)
      }

      const stayed = before.filter((id) => !touched.has(id))
      const known = new Set(stayed)
      expect(seen.filter((id) => known.has(id))).toEqual(stayed)
      const unmoved = seen.filter((id) => !touched.has(id))
      expect(unmoved).toHaveLength(new Set(unmoved).size)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('created_at', 'updated_at', 'rating', 'distance'),
        fc.constantFrom<Direction>('ASC', 'DESC'),
        fc.constantFrom(...perPages),
        fc.array(writes, { minLength: 3, maxLength: 12 }),
        isRead,
      ),
      runs(few),
    )
  })
})

function changeOf(kind: 'move' | 'hold' | 'delete', id: number, to: Stored): Sql {
  if (kind === 'delete') return sql`DELETE FROM issues WHERE id = ${id}`
  if (kind === 'hold') return sql`UPDATE issues SET moderation_state = 'held' WHERE id = ${id}`
  return sql`
    UPDATE issues SET created_at = ${to.created_at}::timestamptz, updated_at = ${to.updated_at}::timestamptz,
      base_rating = ${to.rating} + 1, lng = ${to.lng}, lat = ${to.lat}
    WHERE id = ${id}`
}
