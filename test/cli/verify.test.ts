import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { hasPostgres, startCluster, type TestCluster } from '../helpers/servers/postgres-cluster.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { queryRows } from '../helpers/query-rows.ts'

const MINUTES_MS = 600_000
const verify = (url: string, ...args: string[]) => runNode('src/cli/verify.ts', args, { DATABASE_URL: url })
const pyramidIsCorrect =
  /\nRolled up \d+ changes; compared 17 cells of 17 levels in \d+\.\d s\.\nThe counts of all cells are correct\.\nThe cells of all places and watch areas are correct\.\nThe parts of all places, organisations and watch areas are correct\.\nAll 0 picture files exist\.\n$/

describe.runIf(engine === 'server')('npm run verify (on a server: damaged-folder.test.ts has the embedded engine)', () => {
  it('reports and repairs wrong counts of the pyramid, and then finds no errors', async () => {
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
    onTestFinished(drop)
    const db = openPostgres({ url, pools: { read: 2, write: 2 } })
    await createFactories(db).issue({ at: { lng: -105, lat: 39.7 } })
    const first = await verify(url)
    await db.execute(sql`UPDATE issue_cells SET open = 5 WHERE cell = 1`)
    const second = await verify(url)
    const third = await verify(url)
    const json = await verify(url, '--json')
    const extensions = await queryRows(db, sql`SELECT e.extname FROM pg_extension e WHERE e.extname IN ('amcheck', 'pageinspect')`)
    await db.close()

    expect(first.code).toBe(0)
    expect(first.stdout).toMatch(/^Read \d+ pages of \d+ tables and indexes .*in \d+\.\d s\.\nNothing is damaged\.\n/)
    expect(first.stdout).toMatch(pyramidIsCorrect)
    expect(second.code).toBe(1)
    expect(second.stdout).toContain(
      '1 cells had wrong counts and are repaired:\n  cell 1 of level 0: 4 open too many\nData loaded with triggers off or a failover explains this. ' +
        'Otherwise issues may be lost: compare with a backup (docs/backup.md).\n',
    )
    expect(third).toMatchObject({ code: 0, stdout: expect.stringMatching(pyramidIsCorrect) as string })
    expect(JSON.parse(json.stdout)).toMatchObject({
      pages: { damaged: [], has_checksums: expect.any(Boolean) as boolean },
      ...{ pyramid: { cells: 17, wrong: [] }, pictures: { referenced: 0, missing: [] }, exit_code: 0 },
    })
    expect(extensions).toEqual([])
  })
})

const own = 'npm run verify on a server of its own (needs TEST_DATABASE_URL, and a PostgreSQL with PostGIS that may be started)'
describe.runIf(engine === 'server' && hasPostgres)(own, { timeout: MINUTES_MS }, () => {
  let cluster: TestCluster
  let files: { data: string; issues: string; key: string; places: string; search: string }

  beforeAll(async () => {
    cluster = await startCluster()
    const db = openPostgres({ url: cluster.primary.url, pools: { read: 2, write: 2 } })
    await migrate(db)
    await createFactories(db).issue({ at: { lng: -105, lat: 39.7 } })
    const [found] = await queryRows<typeof files>(
      db,
      sql`
      SELECT current_setting('data_directory') AS data, pg_relation_filepath('issues') AS issues,
        pg_relation_filepath('issues_pkey') AS key, pg_relation_filepath('places_boundary_idx') AS places, pg_relation_filepath('issues_search_idx') AS search`,
    )
    if (found) files = found
    await db.close()
  }, MINUTES_MS)
  afterAll(() => cluster.close())

  it('reads all tables without superuser rights, lists what it could not read and exits with 2', async () => {
    const admin = new pg.Client(cluster.primary.url)
    await admin.connect()
    await admin.query('CREATE ROLE clerk LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk')
    await admin.end()

    const { code, stdout } = await verify(cluster.primary.url.replace('postgres@', 'clerk@'))

    expect(stdout).toMatch(
      /^Read the rows of \d+ tables, but no indexes, which requires a superuser and the extensions amcheck and pageinspect \(permission denied to create extension "amcheck"\), so lost pages may go unnoticed, in \d+\.\d s\.\nNothing is damaged\.\n/,
    )
    expect(stdout).toMatch(pyramidIsCorrect)
    expect(code).toBe(2)
  })

  it('accepts pages of zeros at the end of a file, and reports those that an index references', async () => {
    await changeFiles((read) =>
      [files.issues, files.key, files.places, files.search].map((path) => [path, Buffer.concat([read(path), NO_PAGE])]),
    )
    const atEnd = await verify(cluster.primary.url)
    const before = await changeFiles((read) => [files.issues, files.places, files.search].map((path) => [path, zeros(read(path))]))
    const zeroed = await verify(cluster.primary.url)
    await changeFiles(() => before)

    expect(atEnd).toMatchObject({ code: 0, stdout: expect.stringMatching(pyramidIsCorrect) as string })
    expect(zeroed.code).toBe(1)
    expect(zeroed.stdout).toMatch(/^ {2}table issues: block 0 contains only zeros, and issues_pkey refers to it$/m)
    expect(zeroed.stdout).toMatch(/^ {2}index places_boundary_idx: block 0 contains only zeros, and it is the root$/m)
    expect(zeroed.stdout).toMatch(/^ {2}index issues_search_idx: block [01] contains only zeros, and it is in use$/m)
  })

  it('names a damaged index and a damaged table, and skips the check of the pyramid', async () => {
    await damagePage(files.key)
    const index = await verify(cluster.primary.url)
    await damagePage(files.issues)
    const table = await verify(cluster.primary.url)

    expect([index.code, table.code]).toEqual([1, 1])
    expect(index.stdout).toMatch(
      /\n1 of \d+ tables and indexes are damaged:\n {2}index issues_pkey: invalid page in block 0 of .*\nNo table is damaged: REINDEX/,
    )
    expect(table.stdout).toMatch(/^ {2}table issues: invalid page in block 0 of relation "?base\/\d+\/\d+"?$/m)
    expect(table.stdout).toContain(
      '\nStop the service, keep a copy of the data as it is now, and restore a backup (docs/backup.md).\n',
    )
    expect(table.stdout).toMatch(
      /\nThe pyramid of cells and the pictures were not checked, because they depend on the damaged data\.\n$/,
    )
  })

  /** Swaps pd_lower and pd_upper in the header of the first page (PageHeaderData). */
  const damagePage = (path: string) => changeFiles((read) => [[path, read(path).fill(0xff, 12, 16)]])

  /** Writes files of the stopped cluster and returns their previous content. */
  async function changeFiles(changed: (read: (path: string) => Buffer) => [string, Buffer][]): Promise<[string, Buffer][]> {
    const admin = new pg.Client(cluster.primary.url)
    await admin.connect()
    await admin.query('CHECKPOINT')
    await admin.end()
    await cluster.primary.stop()
    const read = (path: string) => readFileSync(join(files.data, path))
    const contents = changed(read)
    const before = contents.map(([path]): [string, Buffer] => [path, read(path)])
    for (const [path, bytes] of contents) writeFileSync(join(files.data, path), bytes)
    await cluster.primary.start()
    return before
  }
})

const NO_PAGE = Buffer.alloc(8192)
const zeros = (bytes: Buffer) => Buffer.alloc(bytes.length)
