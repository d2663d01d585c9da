import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createFactories } from '../helpers/factories.ts'
import { runNode, startNode } from '../helpers/processes.ts'
import { openTemplateCopy } from '../helpers/template.ts'
import { queryRows } from '../helpers/query-rows.ts'

const PAGE = 8192
/** pd_lower and pd_upper of the header of a page (PageHeaderData); and a byte among the rows, which only a checksum covers. */
const [IN_HEADER, IN_A_ROW] = [12, PAGE - 40]

describe.runIf(engine === 'embedded')('a folder of the embedded engine (no matter for servers)', { timeout: 300_000 }, () => {
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

  /** A copy of the whole folder, damaged. */
  function damaged(damage: (folder: string) => void): string {
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

  test.each([
    ['has lost PG_VERSION', without('PG_VERSION'), 'missing or empty: PG_VERSION'],
    ['has lost global/pg_control', without('global/pg_control'), 'missing or empty: global/pg_control'],
    [
      'has an empty pg_control',
      (f: string) => writeFileSync(join(f, 'database/global/pg_control'), ''),
      'missing or empty: global/pg_control',
    ],
    [
      'has lost its log',
      (f: string) => rmSync(join(f, 'database/pg_wal'), { recursive: true }),
      'missing or empty: pg_wal, pg_wal/0…',
    ],
    ['has lost a folder that was empty', without('pg_notify'), 'missing or empty: pg_notify'],
    ['has lost all tables', without('base'), 'missing or empty: base'],
  ])('that %s is refused and stays as it is', async (_, damage, reason) => {
    const folder = damaged(damage)
    const before = readdirSync(folder, { recursive: true }).sort()

    const refusal = await refusalOf(folder)

    expect(refusal).toBe(
      `The embedded database in ${join(folder, 'database')} cannot be opened: it is damaged, or made by another version, or cannot be written to. ` +
        `Restore a backup of it (docs/backup.md), or let DATA_DIR name another folder. (${reason})`,
    )
    expect(
      readdirSync(folder, { recursive: true })
        .filter((path) => !String(path).startsWith('lock'))
        .sort(),
    ).toEqual(before)
  })

  test('that holds something else is refused and stays as it is', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'database'))
    writeFileSync(join(folder, 'database', 'holiday.jpg'), 'a picture')

    const refusal = await refusalOf(folder)

    expect(refusal).toContain('(missing or empty: PG_VERSION, global/pg_control, ')
    expect(readdirSync(join(folder, 'database'))).toEqual(['holiday.jpg'])
  })

  test.each([
    [
      'a changed byte in the header of a page',
      changeByte('issues', 2 * PAGE + IN_HEADER),
      /\(invalid page in block 2 of relation "base/,
    ],
    ['a changed byte in a row', changeByte('issues', 1 * PAGE + IN_A_ROW), /\(invalid page in block 1 of relation "base/],
    ['a table that is cut off', cut(2), /\(issues is cut off after 2 of at least \d+ pages\)$/],
    [
      'a table whose file is gone',
      (f: string) => rmSync(join(f, files['issues'] ?? '')),
      /\(issues is cut off after 0 of at least/,
    ],
    [
      'a table that was never analysed and is empty',
      empty('users'),
      /\(could not read blocks 0\.\.0 in file "base\/.*: read only 0 of/,
    ],
    ['a sequence that is empty', empty('issues_id_seq'), /\(could not read blocks? 0.* in file "base\/.*: read only 0 of/],
    ['a changed byte in a catalogue', changeByte('pg_proc', 70 * PAGE + IN_A_ROW), /\(invalid page in block 70 of relation "base/],
  ])('with %s is refused at start', async (_, damage, reason) => {
    expect(await refusalOf(damaged(damage))).toMatch(reason)
  })

  test('without a database but with pictures is refused, and nothing is made', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'files', 'pictures', '0a'), { recursive: true })
    writeFileSync(join(folder, 'files', 'pictures', '0a', 'picture.png'), 'a picture')

    const refusal = await refusalOf(folder)

    expect(refusal).toBe(
      `The embedded database in ${join(folder, 'database')} is missing, but ${join(folder, 'files', 'pictures')} has pictures, which a new database ` +
        'would remove. Restore the database (docs/backup.md), or move the pictures away to begin with a new one.',
    )
    expect(existsSync(join(folder, 'database'))).toBe(false)
  })

  test('with damage is described by npm run verify, which ends with exit code 1 and says what to do', async () => {
    const damages = [changeByte('users', IN_HEADER), zero('issues', 1), empty('issues_id_seq'), empty('issues_point_idx')]
    const { code, stdout } = await verify(damaged((folder) => damages.forEach((damage) => damage(folder))))

    expect(code).toBe(1)
    expect(stdout).toMatch(/^Read \d+ pages of \d+ tables and indexes in [\d.]+ s\.\n\d+ of \d+ tables and indexes are damaged:\n/)
    expect(stdout).toMatch(/^ {2}table users: invalid page in block 0 of relation "base\/\d+\/\d+"$/m)
    expect(stdout).toMatch(/^ {2}table issues: block 1 holds nothing but zeros, and issues_pkey leads there$/m)
    expect(stdout).toMatch(/^ {2}index issues_point_idx: its file is empty or missing$/m)
    expect(stdout).toMatch(/^ {2}sequence issues_id_seq: could not read blocks? 0/m)
    expect(stdout).toContain('\nStop the service, keep a copy of the data as it is now, and restore a backup (docs/backup.md).\n')
  })

  test('with a table that is cut off is described by npm run verify', async () => {
    const { code, stdout } = await verify(damaged(cut(2)))

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^ {2}table issues: could not read blocks \d+\.\.\d+ in file "base\/\d+\/\d+": read only 0 of 8192 bytes$/m,
    )
  })

  test('with a damaged index is told to rebuild it by npm run verify', async () => {
    const { code, stdout } = await verify(damaged(changeByte('issues_search_idx', 1 * PAGE + IN_A_ROW)))

    expect(code).toBe(1)
    expect(stdout).toMatch(
      /\n1 of \d+ tables and indexes are damaged:\n {2}index issues_search_idx: invalid page in block 1 of .*\nNo table is damaged: REINDEX/,
    )
  })

  test('without damage passes npm run verify', async () => {
    const { code, stdout } = await verify(damaged(() => {}))

    expect([code, stdout]).toEqual([0, expect.stringContaining('\nNothing is damaged.\n')])
  })
})

describe.runIf(engine === 'embedded')('a first start that is killed (of the embedded engine)', { timeout: 300_000 }, () => {
  test('leaves nothing in the folder, and the next one makes the database', async () => {
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

/** Returns the error message of a start that refuses the folder. */
async function refusalOf(folder: string): Promise<string> {
  const error: unknown = await connect(readConfig({ DATA_DIR: folder }), { activity: 'a test', say: () => {} }).catch(
    (refused: unknown) => refused,
  )
  return error instanceof Error ? error.message : 'it was opened'
}

const verify = (folder: string) => runNode('src/cli/verify.ts', [], { DATA_DIR: folder })
