import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

import { type Database, sql } from '../../../src/database/database.ts'
import { openEmbedded } from '../../../src/database/embedded.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { countCellChanges } from '../../../src/geo/pyramid/fold.ts'
import { totalsIn } from '../../../src/geo/pyramid/totals.ts'
import { verifyPyramid } from '../../../src/geo/pyramid/verify.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'

const BEFORE = '20261122004000_changes_of_issues'

test(
  'what waits to be added up when an older version is replaced stays counted, and so is all that comes after',
  { timeout: 120_000 },
  async () => {
    const db = await emptyDatabase()
    const folder = temporaryFolder()
    for (const name of readdirSync('prisma/migrations').filter((name) => name < BEFORE)) {
      cpSync(join('prisma/migrations', name), join(folder, name), { recursive: true })
    }
    cpSync('prisma/migrations/migration_lock.toml', join(folder, 'migration_lock.toml'))
    await migrate(db, pathToFileURL(`${folder}/`))
    await db.query(
      sql`INSERT INTO issues (summary, lng, lat) VALUES ('Lamp', -105, 39.7), ('Bench', -105, 39.7), ('Tree', 178, -18)`,
    )
    await db.query(sql`UPDATE issues SET status = 'Closed' WHERE summary = 'Bench'`)
    const waiting = await countCellChanges(db)

    const applied = await migrate(db)

    expect(waiting).toBeGreaterThan(0)
    expect(applied).toContain(BEFORE)
    expect(await countCellChanges(db)).toBe(0)
    expect(await totals(db)).toEqual([{ open: 2, acknowledged: 0, closed: 1, archived: 0 }])
    await db.query(sql`UPDATE issues SET lng = 178, lat = -18, status = 'Acknowledged' WHERE summary = 'Lamp'`)
    await db.query(sql`DELETE FROM issues WHERE summary = 'Bench'`)
    expect(await totals(db)).toEqual([{ open: 1, acknowledged: 1, closed: 0, archived: 0 }])
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [], covers: 0 })
  },
)

const totals = (db: Database) => db.query(totalsIn({ kind: 'everywhere' }) ?? sql``)

async function emptyDatabase(): Promise<Database> {
  if (testDatabaseUrl === undefined) {
    const db = await openEmbedded()
    onTestFinished(() => db.close())
    return db
  }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  const db = openPostgres({ url })
  onTestFinished(() => db.close().finally(drop))
  return db
}
