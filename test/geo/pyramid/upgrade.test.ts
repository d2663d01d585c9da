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
import { createTestDatabase, engine } from '../../helpers/database.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'

const BEFORE = '20261122004000_changes_of_issues'

test(
  'what waits to be added up when an older version is replaced stays counted, and so is all that comes after',
  { timeout: 120_000 },
  async () => {
    const db = await olderDatabase()
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

test.runIf(engine === 'server')(
  'nobody who reads or writes meanwhile is given up, and neither is the migration',
  { timeout: 120_000 },
  async () => {
    const db = await olderDatabase()
    await db.query(sql`INSERT INTO issues (id, summary, lng, lat) VALUES (1, 'Lamp', -105, 39.7)`)
    let migrating = true
    const slowReader = db.query(sql`SELECT pg_sleep(2)::text FROM issues i`)
    const readers = async () => {
      while (migrating) await totals(db)
    }
    let [begun, writes] = [0, 0]
    // Who has looked at an issue has a lock on the table, and wants more of it afterwards.
    const writer = async () => {
      for (; migrating || writes === 0; writes++) {
        await db.transaction(async (tx) => {
          begun += 1
          await tx.query(sql`SELECT i.id FROM issues i WHERE i.id = 1 FOR KEY SHARE`)
          await tx.query(sql`SELECT pg_sleep(0.1)::text`)
          await tx.query(sql`UPDATE issues SET status = 'Closed', updated_at = now() WHERE id = 1`)
        })
      }
    }
    const others = [slowReader, readers(), readers(), writer()]

    const applied = await migrate(db).finally(() => (migrating = false))

    await Promise.all(others)
    expect(applied).toContain(BEFORE)
    // One that is given up is begun once more.
    expect(begun).toBe(writes)
    expect(await verifyPyramid(db)).toMatchObject({ wrong: [], covers: 0 })
  },
)

const totals = (db: Database) => db.query(totalsIn({ kind: 'everywhere' }) ?? sql``)

/** As it was before the migration. */
async function olderDatabase(): Promise<Database> {
  const db = await emptyDatabase()
  const folder = temporaryFolder()
  for (const name of readdirSync('prisma/migrations').filter((name) => name < BEFORE)) {
    cpSync(join('prisma/migrations', name), join(folder, name), { recursive: true })
  }
  cpSync('prisma/migrations/migration_lock.toml', join(folder, 'migration_lock.toml'))
  await migrate(db, pathToFileURL(`${folder}/`))
  return db
}

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
