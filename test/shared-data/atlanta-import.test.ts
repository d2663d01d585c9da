import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { describeWithSharedData, sharedFile } from './shared-data.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Copies a file, because rejected rows are written to its folder. */
function copyOf(name: string): string {
  const path = join(createTemporaryFolder(), name)
  copyFileSync(sharedFile(name), path)
  return path
}

describeWithSharedData('import of the data of Atlanta', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  const report = { unchanged: 0, rejected: 0, rejectedFile: null, rejectedFeatures: null, ignoredColumns: [], stopped: false }

  it('stores every row, and changes nothing the second time', async () => {
    const ids = { newIds: { count: 0, first: [] }, renumberedFile: null }
    const places = copyOf('atlanta-places.geojson')
    const issues = copyOf('atlanta-issues.csv')

    expect(await importPlaces(database, { path: places })).toEqual({ ...report, rows: 8, imported: 8, repaired: [] })
    expect(await importIssues(database, { path: issues })).toEqual({ ...report, rows: 6161, imported: 6161, ...ids })
    expect(await importPlaces(database, { path: places })).toEqual({ ...report, rows: 8, imported: 0, unchanged: 8, repaired: [] })
    expect(await importIssues(database, { path: issues })).toEqual({ ...report, rows: 6161, imported: 0, unchanged: 6161, ...ids })

    const [counted] = await queryRows(
      database,
      sql`
      SELECT (SELECT count(*)::integer FROM issues i) AS issues, (SELECT count(*)::integer FROM places p) AS places,
        (SELECT max(i.id) FROM issues i) AS greatest, (SELECT count(*)::integer FROM events e) AS events`,
    )
    expect(counted).toEqual({ issues: 6161, places: 8, greatest: 4651540, events: 0 })
  })
})
