import { beforeAll, describe, expect, it } from 'vitest'

import { type Queryable, sql } from '../../src/database/database.ts'
import { typedQuery } from '../../src/database/engine.ts'
import { countEvents } from '../../src/watch-areas/forecast-queries.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const ISSUES = 1_500
/** Maximum number of 8 kB pages per issue and comment: index levels and the row. */
const PAGES_EACH = 12

const circle = { kind: 'circle', centre: GREEN, radius_m: 5_000 } as const
const box = { west: GREEN.lng - 0.1, south: GREEN.lat - 0.1, east: GREEN.lng + 0.1, north: GREEN.lat + 0.1 }

describe('a forecast reads each issue and each comment a few times at most', () => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, description, address, lng, lat, created_at, updated_at)
      SELECT 'Pothole', '', '', ${GREEN.lng}::float8 + (n % 40) * 1e-4, ${GREEN.lat}::float8 + (n / 40) * 1e-4, now() - interval '1 hour', now()
      FROM generate_series(1, ${ISSUES}::integer) AS n RETURNING id`)
    await app.db.execute(sql`
      INSERT INTO comments (issue_id, comment, created_at, updated_at)
      SELECT i.id, 'Still there', now() - interval '1 hour', now() FROM issues i RETURNING id`)
  })

  async function pagesRead(area: Parameters<typeof countEvents>[1]): Promise<number> {
    let pages = 0
    const recordingReader: Queryable = {
      query: typedQuery(async (statement) => {
        const [explained] = await queryRows<{ 'QUERY PLAN': readonly [{ Plan: Record<string, number> }] }>(
          app.db,
          sql`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
        )
        const plan = explained?.['QUERY PLAN'][0].Plan
        pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
        return queryRows(app.db, statement)
      }),
    }
    const counted = await countEvents(recordingReader, area, { now: new Date(), days: 90 })
    expect(counted.map(({ kind, events }) => [kind, events])).toEqual([
      ['new', ISSUES],
      ['updates', ISSUES],
    ])
    return pages
  }

  it.each([
    ['a circle', circle],
    ['a box', { kind: 'box', box } as const],
  ])('for %s in a database without table statistics', async (_, area) => {
    expect(await pagesRead(area)).toBeLessThan(2 * ISSUES * PAGES_EACH)
  })
})
