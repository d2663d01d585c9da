import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createFactories } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { runNode, startNode } from '../helpers/processes.ts'
import { openTemplateCopy } from '../helpers/template.ts'
import { queryRows } from '../helpers/query-rows.ts'

const PAGE = 8192
/** The offset of pd_lower in the page header (PageHeaderData), and of a byte inside a row, which only the checksum covers. */
const [IN_HEADER, IN_A_ROW] = [12, PAGE - 40]

describe.runIf(engine === 'embedded')('data folder of the embedded engine', { timeout: 300_000 }, () => {
  let whole = ''
  const files: Record<string, string> = {}

  beforeAll(async () => {
    whole = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
    const database = await openTemplateCopy(inject('template'), join(whole, 'database'))
    for (let n = 0; n < 40; n += 1)
      await createFactories(database).issue({ description: 'A text of a hundred letters. '.repeat(40) })
    await createFactories(database).user()
    await database.execute(sql`ANALYZE issues`)
    const paths = await queryRows<{ name: string; path: string }>(
      database,
      sql`
      SELECT c.relname AS name, pg_relation_filepath(c.oid) AS path FROM pg_class c
      WHERE c.relname IN ('issues', 'issues_pkey', 'issues_search_idx', 'issues_id_seq', 'issues_point_idx', 'users', 'pg_proc')`,
    )
    for (const { name, path } of paths) files[name] = join('database', path)
    await database.close()
  })
  afterAll(() => rmSync(whole, { recursive: true, force: true }))

  function copyDamaged(damage: (folder: string) => void): string {
    const folder = createTemporaryFolder()
    cpSync(whole, folder, { recursive: true })
    damage(folder)
    return folder
  }
  const changeByte = (name: string, offset: number) => (folder: string) => {
    const path = join(folder, files[name] ?? '')
    const bytes = readFileSync(path)
    bytes[offset] = (bytes[offset] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
  }
  const empty = (name: string) => (folder: string) => truncateSync(join(folder, files[name] ?? ''), 0)
  const zero = (name: string, page: number) => (folder: string) => {
    const path = join(folder, files[name] ?? '')
    writeFileSync(path, readFileSync(path).fill(0, page * PAGE, (page + 1) * PAGE))
  }
  const without = (path: string) => (folder: string) => rmSync(join(folder, 'database', path), { recursive: true })
  const cut = (pages: number) => (folder: string) => truncateSync(join(folder, files['issues'] ?? ''), pages * PAGE)

  it.each([
    ['without PG_VERSION', without('PG_VERSION'), 'missing or empty: PG_VERSION'],
    ['without global/pg_control', without('global/pg_control'), 'missing or empty: global/pg_control'],
    [
      'with an empty pg_control',
      (f: string) => writeFileSync(join(f, 'database/global/pg_control'), ''),
      'missing or empty: global/pg_control',
    ],
    [
      'without its write-ahead log',
      (f: string) => rmSync(join(f, 'database/pg_wal'), { recursive: true }),
      'missing or empty: pg_wal, pg_wal/0…',
    ],
    ['without a folder that was empty', without('pg_notify'), 'missing or empty: pg_notify'],
    ['without its tables', without('base'), 'missing or empty: base'],
  ])('is refused and not changed: %s', async (_, damage, reason) => {
    const folder = copyDamaged(damage)
    const before = readdirSync(folder, { recursive: true }).sort()

    const refusal = await refusalOf(folder)

    expect(refusal).toBe(
      `The embedded database in ${join(folder, 'database')} cannot be opened. It is damaged, was created by another version, or is not writable. ` +
        `Restore a backup (docs/backup.md), or set DATA_DIR to another folder. (${reason})`,
    )
    expect(
      readdirSync(folder, { recursive: true })
        .filter((path) => !String(path).startsWith('lock'))
        .sort(),
    ).toEqual(before)
  })

  it('is refused and not changed if it contains other files', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'database'))
    writeFileSync(join(folder, 'database', 'holiday.jpg'), 'a picture')

    const refusal = await refusalOf(folder)

    expect(refusal).toContain('(missing or empty: PG_VERSION, global/pg_control, ')
    expect(readdirSync(join(folder, 'database'))).toEqual(['holiday.jpg'])
  })

  it.each<[string, (folder: string) => void, RegExp]>([
    ['a changed byte in a row', changeByte('issues', 1 * PAGE + IN_A_ROW), /\(invalid page in block 1 of relation "base/],
    ['a truncated table', cut(2), /\(issues is cut off after 2 of at least \d+ pages\)$/],
    [
      'a table that was never analysed and is empty',
      empty('users'),
      /\(could not read blocks 0\.\.0 in file "base\/.*: read only 0 of/,
    ],
    ['a sequence that is empty', empty('issues_id_seq'), /\(could not read blocks? 0.* in file "base\/.*: read only 0 of/],
    ['a changed byte in a catalogue', changeByte('pg_proc', 70 * PAGE + IN_A_ROW), /\(invalid page in block 70 of relation "base/],
    // Each of these starts the engine again, and is found by the same comparison as one above.
    ...(isLong
      ? ([
          [
            'a changed byte in the header of a page',
            changeByte('issues', 2 * PAGE + IN_HEADER),
            /\(invalid page in block 2 of relation "base/,
          ],
          [
            'a table without its file',
            (f: string) => rmSync(join(f, files['issues'] ?? '')),
            /\(issues is cut off after 0 of at least/,
          ],
        ] satisfies [string, (folder: string) => void, RegExp][])
      : []),
  ])('is refused at start: %s', async (_, damage, reason) => {
    expect(await refusalOf(copyDamaged(damage))).toMatch(reason)
  })

  it('is refused if it has pictures but no database, and no database is created', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'files', 'pictures', '0a'), { recursive: true })
    writeFileSync(join(folder, 'files', 'pictures', '0a', 'picture.png'), 'a picture')

    const refusal = await refusalOf(folder)

    expect(refusal).toBe(
      `The embedded database in ${join(folder, 'database')} is missing, but ${join(folder, 'files', 'pictures')} has pictures, which a new database ` +
        'would delete. Restore the database (docs/backup.md), or move the pictures to another folder to start with a new one.',
    )
    expect(existsSync(join(folder, 'database'))).toBe(false)
  })

  it('makes npm run verify list the damage, say what to do and exit with code 1', async () => {
    const damages = [changeByte('users', IN_HEADER), zero('issues', 1), empty('issues_id_seq'), empty('issues_point_idx')]
    const { code, stdout } = await verify(copyDamaged((folder) => damages.forEach((damage) => damage(folder))))

    expect(code).toBe(1)
    expect(stdout).toMatch(/^Read \d+ pages of \d+ tables and indexes in [\d.]+ s\.\n\d+ of \d+ tables and indexes are damaged:\n/)
    expect(stdout).toMatch(/^ {2}table users: invalid page in block 0 of relation "base\/\d+\/\d+"$/m)
    expect(stdout).toMatch(/^ {2}table issues: block 1 contains only zeros, and issues_pkey refers to it$/m)
    expect(stdout).toMatch(/^ {2}index issues_point_idx: its file is empty or missing$/m)
    expect(stdout).toMatch(/^ {2}sequence issues_id_seq: could not read blocks? 0/m)
    expect(stdout).toContain('\nStop the service, keep a copy of the data as it is now, and restore a backup (docs/backup.md).\n')
  })

  // Each of these starts the engine twice, which takes six seconds; the test before runs the same command.
  it.runIf(isLong)('with a truncated table makes npm run verify name it', async () => {
    const { code, stdout } = await verify(copyDamaged(cut(2)))

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^ {2}table issues: could not read blocks \d+\.\.\d+ in file "base\/\d+\/\d+": read only 0 of 8192 bytes$/m,
    )
  })

  it.runIf(isLong)('with a damaged index makes npm run verify recommend REINDEX', async () => {
    const { code, stdout } = await verify(copyDamaged(changeByte('issues_search_idx', 1 * PAGE + IN_A_ROW)))

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /\n1 of \d+ tables and indexes are damaged:\n {2}index issues_search_idx: invalid page in block 1 of .*\nNo table is damaged: REINDEX/,
    )
  })

  it.runIf(isLong)('without damage passes npm run verify', async () => {
    const { code, stdout } = await verify(copyDamaged(() => {}))

    expect([code, stdout]).toEqual([0, expect.stringContaining('\nNothing is damaged.\n')])
  })
})

describe.runIf(engine === 'embedded')('first start of the embedded engine', { timeout: 300_000 }, () => {
  it('leaves no database if it is killed, and the next start creates it', async () => {
    const env = { DATA_DIR: createTemporaryFolder() }
    const unfinished = join(env.DATA_DIR, 'database.unfinished')
    const first = startNode('src/cli/migrate.ts', [], env)
    while (!existsSync(join(unfinished, 'PG_VERSION'))) await pause(5)
    first.child.kill('SIGKILL')
    await first.ended
    const left = readdirSync(env.DATA_DIR)

    const second = await runNode('src/cli/migrate.ts', [], env)

    expect(left).toContain('database.unfinished')
    expect(left).not.toContain('database')
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(env.DATA_DIR)).not.toContain('database.unfinished')
  })
})

async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await connect(readConfig({ DATA_DIR: folder }), { activity: 'a test', say: () => {} }).catch(
    (refused: unknown) => refused,
  )
  return error instanceof Error ? error.message : 'no error'
}

const verify = (folder: string) => runNode('src/cli/verify.ts', [], { DATA_DIR: folder })
