import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { countPendingCellChanges, rollUpCellChanges, startGenerationAfterRestore } from '../../../src/geo/pyramid/roll-up.ts'
import { statusSums, sumCells } from '../../../src/geo/pyramid/totals.ts'
import { verifyPyramid } from '../../../src/geo/pyramid/verify.ts'
import { engine } from '../../helpers/database.ts'
import { FAR_AWAY, square } from '../../helpers/factories.ts'
import { parseIssueList } from '../../helpers/issue-list.ts'
import { useApp } from '../../helpers/use-app.ts'
import { comb } from '../many-edges.ts'
import { fill, someIssues } from '../world.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const totals = sumCells({ kind: 'everywhere' }, { inner: sql`'{1}'::bigint[]`, edgeRanges: sql`` }, statusSums)

describe('verifyPyramid and the roll-up', () => {
  const app = useApp()

  it('finds no difference in changes that are rolled up or still pending', async () => {
    await fill(app.db, someIssues(100))
    await rollUpCellChanges(app.db)
    await fill(
      app.db,
      someIssues(200)
        .slice(150)
        .map((issue, n) => ({ ...issue, id: 1_000 + n })),
    )
    await app.create.place({ url_name: 'square' })

    expect(await verifyPyramid(app.db)).toMatchObject({ wrong: [], covers: 0 })
  })

  it('repairs and reports a cell with a wrong count, a missing cell, and a cover that differs from its boundary', async () => {
    const { db, create } = app
    await create.issue({ at: { lng: -105, lat: 39.7 } })
    await create.issue({ at: { lng: 178, lat: -18 } })
    const place = await create.place({ url_name: 'square' })
    await rollUpCellChanges(db)
    const right = await queryRows(db, sql`SELECT c.cell, c.open, c.closed FROM issue_cells c WHERE c.cell > 0 ORDER BY c.cell`)
    await db.execute(sql`UPDATE issue_cells SET open = open + 3, closed = 1 WHERE cell = 1`)
    await db.execute(sql`DELETE FROM issue_cells WHERE cell = (SELECT max(c.cell) FROM issue_cells c)`)
    await db.execute(sql`UPDATE places SET inner_cells = '{1}' WHERE id = ${place.id}`)
    await create.watchArea({ of: await create.user() })
    await db.execute(sql`UPDATE watch_areas SET boundary_cells = '{}'`)

    const verified = await verifyPyramid(db)

    expect(verified).toMatchObject({
      wrong: [
        { cell: 1, level: 0, open: 3, acknowledged: 0, closed: 1, archived: 0 },
        { level: 16, open: -1, acknowledged: 0, closed: 0, archived: 0 },
      ],
      covers: 2,
    })
    expect(await queryRows(db, sql`SELECT c.cell, c.open, c.closed FROM issue_cells c WHERE c.cell > 0 ORDER BY c.cell`)).toEqual(
      right,
    )
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [], covers: 0 })
  })

  it('divides areas again that changed without triggers, so that the list of a place equals ST_Covers', async () => {
    const { db, create } = app
    await db.execute(sql`
      INSERT INTO issues (summary, lng, lat) SELECT 'Here', -105.1 + x / 100.0, 39.6 + y / 100.0
      FROM generate_series(0, 20) x CROSS JOIN generate_series(0, 20) y`)
    await create.place({ url_name: 'moved', around: FAR_AWAY })
    await create.organization({ around: FAR_AWAY })
    await create.watchArea({ of: await create.user(), area: square(FAR_AWAY) })
    const teeth = JSON.stringify({ type: 'Polygon', coordinates: comb(50) })
    const area = sql`ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${teeth}), 4326))`
    await db.transaction(async (tx) => {
      await tx.execute(sql`SET LOCAL session_replication_role = replica`)
      await tx.execute(sql`UPDATE places SET boundary = ${area}`)
      await tx.execute(sql`UPDATE organizations SET area = ${area}`)
      await tx.execute(sql`UPDATE watch_areas SET area = ${area}`)
    })

    const verified = await verifyPyramid(db)

    const { pagination } = parseIssueList(await app.as.anonymous.get('/issues?place_url=moved'))
    const [covered] = await queryRows<{ count: number }>(
      db,
      sql`SELECT count(*)::integer AS count FROM issues i WHERE ST_Covers(${area}, i.point)`,
    )
    expect(verified).toMatchObject({ wrong: [], covers: 2, parts: 3 })
    expect(covered?.count).toBeGreaterThan(100)
    expect(pagination.entries).toBe(covered?.count)
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [], covers: 0, parts: 0 })
  })

  it('rolls up each change once, even if several processes roll up at the same time', async () => {
    const { db } = app
    await fill(db, someIssues(300))
    const pending = await countPendingCellChanges(db)

    const rolledUp = await Promise.all([1, 2, 3, 4].map(() => rollUpCellChanges(db)))

    expect(pending).toBeGreaterThan(100)
    expect(rolledUp.reduce((all, some) => all + some)).toBe(pending)
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [], covers: 0 })
  })

  it.runIf(engine === 'server')('blocks neither a writer into the cell of an open transaction nor a roll-up', async () => {
    const { db } = app
    const report = sql`INSERT INTO issues (summary, lng, lat) VALUES ('Here', -105, 39.7)`
    const noWaiting = sql`SELECT set_config('lock_timeout', '1s', TRUE)`
    const { promise: over, resolve: end } = Promise.withResolvers<undefined>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>()
    const open = db.transaction(async (tx) => {
      await tx.execute(report)
      begin(undefined)
      await over
    })
    await begun

    await db.transaction(async (tx) => {
      await tx.execute(noWaiting)
      await tx.execute(report)
    })
    const rolledUp = await db.transaction(async (tx) => {
      await tx.execute(noWaiting)
      return queryRows(tx, sql`SELECT roll_up_issue_cells(100) AS rolled_up`)
    })
    await db.transaction(async (tx) => {
      await tx.execute(noWaiting)
      await tx.execute(report)
    })
    end(undefined)
    await open

    expect(rolledUp).toEqual([{ rolled_up: 1 }])
    expect(await queryRows(db, totals)).toEqual([{ open: 3, acknowledged: 0, closed: 0, archived: 0 }])
  })

  it.runIf(engine === 'server')('adds and loses nothing if a roll-up is killed before it commits', async () => {
    const { db } = app
    await fill(db, someIssues(300))
    const [before, pending] = [await queryRows(db, totals), await countPendingCellChanges(db)]

    const killed = db.transaction(async (tx) => {
      await tx.execute(sql`SELECT roll_up_issue_cells(100)`)
      await tx.execute(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
    })

    await expect(killed).rejects.toThrow()
    expect(await queryRows(db, totals)).toEqual(before)
    expect(await queryRows(db, sql`SELECT c.cell FROM issue_cells c WHERE c.cell > 0`)).toEqual([])
    expect(await rollUpCellChanges(db)).toBe(pending)
    expect(await queryRows(db, totals)).toEqual(before)
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [] })
  })

  it('starts a generation after a restore, and at every start of the embedded engine', async () => {
    const { db } = app
    const generation = async () =>
      (await queryRows<{ public_changes: number }>(db, sql`SELECT c.public_changes FROM issue_cells c WHERE c.cell = 0`))[0]
        ?.public_changes
    await startGenerationAfterRestore(db)
    const before = await generation()

    const again = await startGenerationAfterRestore(db)
    const same = await generation()
    // A dump of another server contains this value.
    await db.execute(sql`UPDATE table_versions SET version = gen_random_uuid() WHERE name = 'cells of database'`)
    const restored = await startGenerationAfterRestore(db)

    const isEmbedded = db.engine === 'embedded'
    expect([again, same === before, restored]).toEqual([isEmbedded, !isEmbedded, true])
    expect(await generation()).not.toBe(before)
  })
})
