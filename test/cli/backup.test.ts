import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'

import { recordErasure } from '../../src/accounts/erasure.ts'
import { readConfig } from '../../src/config.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { openFileStore } from '../../src/storage/open-file-store.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { runNode } from '../helpers/processes.ts'
import { hasPostgres } from '../helpers/servers/postgres-cluster.ts'
import { startBucket } from '../helpers/servers/bucket.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

describe.runIf(testDatabaseUrl !== undefined && hasPostgres)('npm run backup and restore (need servers and pg_dump)', () => {
  async function createEnvironment(template?: string) {
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', template)
    onTestFinished(drop)
    return { DATABASE_URL: url, DATA_DIR: createTemporaryFolder() }
  }
  async function storePicture(env: Record<string, string>): Promise<string> {
    const [key, file] = [newFileKey('png'), join(createTemporaryFolder(), 'picture')]
    writeFileSync(file, 'a picture')
    await (await openFileStore(readConfig({ ...env, PUBLIC_URL: 'http://fixpoint.test' }))).put(key, file, 'image/png')
    return key
  }
  const backUp = (env: Record<string, string>, ...args: string[]) => runNode('src/cli/backup.ts', args, env)
  const restore = (env: Record<string, string>, ...args: string[]) => runNode('src/cli/restore.ts', args, env)

  it('replace the dump of an earlier run, add new pictures, forget deleted ones, and restore only undamaged parts', async () => {
    const folder = createTemporaryFolder()
    const env = await createEnvironment(inject('template'))
    const old = await storePicture(env)
    const first = await backUp(env, folder)
    const [firstDump] = readdirSync(folder).filter((name) => name.includes('.dump.'))
    await (await openFileStore(readConfig({ ...env, PUBLIC_URL: 'http://fixpoint.test' }))).remove(old)
    const added = await storePicture(env)

    const second = await backUp(env, folder)

    const listed = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
      .split('\n')
      .map((line) => line.slice(66))
    const [dump = '', ...others] = readdirSync(folder).filter((name) => name.includes('.dump.'))
    expect([first, second]).toMatchObject([
      { code: 0, stdout: expect.stringMatching(/^Backed up \d+ kB of the database and 1 pictures to /) as string },
      { code: 0 },
    ])
    expect([others, dump === firstDump, listed.toSorted()]).toEqual([[], false, ['', added, dump].toSorted()])

    const contents = readFileSync(join(folder, dump))
    writeFileSync(join(folder, dump), contents.with(contents.length - 1, 0x7f))
    const empty = await createEnvironment()
    const damaged = await restore(empty, folder)
    writeFileSync(join(folder, dump), contents)
    const whole = await restore(empty, folder)
    const again = await restore(empty, folder)

    expect(damaged).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${dump} of the backup is missing or damaged.`) as string,
    })
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is damaged.') as string })
    expect(again).toMatchObject({ code: 1, stderr: 'The database is not empty. Restore into a new database or DATA_DIR.\n' })
  })

  it('erase again who was erased since an older backup, from the list of a newer one or of the file store', async () => {
    const env = await createEnvironment(inject('template'))
    const added = await runNode(
      'src/cli/user.ts',
      ['add', '--email', 'ada@example.org', '--password', 'correct horse', '--name', 'Ada Park'],
      env,
    )
    const [older, files] = [createTemporaryFolder(), await openFileStore({ dataDir: env.DATA_DIR, s3Url: undefined })]
    await backUp(env, older)
    const db = openPostgres({ url: env.DATABASE_URL, pools: { read: 1, write: 1 } })
    onTestFinished(() => db.close())
    const { id, created_at } = await db.prisma.user.findFirstOrThrow({ where: { name: 'Ada Park' } })

    const erased = await runNode('src/cli/user.ts', ['erase', 'ada@example.org'], env)
    await recordErasure(files, id, { created_ms: created_at.getTime(), content_deleted: 0 })
    const newer = await backUp(env, createTemporaryFolder())
    const target = { ...(await createEnvironment()), DATA_DIR: env.DATA_DIR }
    const restored = await restore(target, older)

    expect([added.code, erased.stdout, newer.code]).toEqual([0, 'The account of ada@example.org is erased.\n', 0])
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Erased 1 accounts again that were erased before.') as string,
    })
    const after = openPostgres({ url: target.DATABASE_URL, pools: { read: 1, write: 1 } })
    onTestFinished(() => after.close())
    expect(await after.prisma.user.count()).toBe(0)
  })

  it('use the server and the key of BACKUP_S3_URL for s3://', async () => {
    const bucket = await startBucket()
    const env = { ...(await createEnvironment(inject('template'))), BACKUP_S3_URL: bucket.url }

    const stored = await backUp(env, 's3://pictures/night')
    const restored = await restore({ ...(await createEnvironment()), BACKUP_S3_URL: bucket.url }, 's3://pictures/night')

    expect([stored.code, restored.code]).toEqual([0, 0])
    expect([...bucket.objects.keys()].toSorted()).toEqual([
      'night/SHA256SUMS',
      expect.stringMatching(/^night\/database-\d{8}T\d{9}Z\.dump\.00001$/),
    ])
  })

  it('leaves no part of a dump that failed, since no list would name it', async () => {
    const [programs, folder] = [createTemporaryFolder(), createTemporaryFolder()]
    const fails = '#!/bin/sh\nhead -c 34000000 /dev/zero\nexit 1\n'
    writeFileSync(join(programs, 'pg_dump'), fails, { mode: 0o755 })
    const PATH = `${programs}:${process.env['PATH']}`

    const failed = await backUp({ DATABASE_URL: 'postgres://127.0.0.1:1/x', DATA_DIR: createTemporaryFolder(), PATH }, folder)

    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('pg_dump ended with 1.') as string })
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves no embedded database of a damaged backup', async () => {
    const [backup, DATA_DIR] = [createTemporaryFolder(), createTemporaryFolder()]
    mkdirSync(join(backup, 'database'))
    writeFileSync(join(backup, 'database', 'PG_VERSION'), '18\n')
    spawnSync('tar', ['-cf', 'database-1.tar.00001', 'database'], { cwd: backup })
    writeFileSync(join(backup, 'database-1.tar.00002'), 'damaged')
    const sum = createHash('sha256')
      .update(readFileSync(join(backup, 'database-1.tar.00001')))
      .digest('hex')
    const lines = [`${sum}  database-1.tar.00001`, `${'0'.repeat(64)}  database-1.tar.00002`, '']
    writeFileSync(join(backup, 'SHA256SUMS'), lines.join('\n'))

    const damaged = await restore({ DATA_DIR }, backup)

    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was restored into the database.') as string })
    expect(readdirSync(DATA_DIR)).not.toContain('database')
  })

  it.each([
    ['no address', [], 'Name the folder of the backup, or s3://bucket/prefix, after "--".\n'],
    ['s3:// without a key', ['s3://backups'], 's3://backups needs BACKUP_S3_URL, which has the server and its key.\n'],
    ['a folder without a backup', ['.'], 'There is no complete backup: the file SHA256SUMS is missing.\n'],
  ])('refuse %s', async (_, args, stderr) => {
    expect(await restore({ DATA_DIR: createTemporaryFolder() }, ...args)).toMatchObject({ code: 1, stderr })
  })
})
