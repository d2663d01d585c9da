import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'

import { ERASED_FOLDER } from '../accounts/erasure.ts'
import { type Config, readConfig } from '../config.ts'
import { isEmptyFolder, lockFolder } from '../database/embedded-folder.ts'
import { hasMigrations } from '../database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../database/postgres.ts'
import { splitPassword } from '../environment/database-address.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { progressLines } from '../process/progress-lines.ts'
import { isJson, printResult, runCommand } from '../process/run-command.ts'
import type { StorageBackend } from '../storage/file-store.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { storeReport } from '../storage/reports.ts'
import { COPIES, hashFile, isFile, isPicture, openBackupStore, readChecksums, startProgram } from './backup-store.ts'

type Target = Pick<Config, 'databaseUrl' | 'dataDir' | 's3Url'>

/** `--drill` restores into a throw-away database of another server, or for an embedded database into a folder, and records the success. */
async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { drill: { type: 'string' }, json: { type: 'boolean' } },
  })
  const config = readConfig(process.env, { requirePublicUrl: false })
  const store = await openBackupStore(positionals[0], config)
  await mkdir(config.dataDir, { recursive: true })
  if (values.drill === undefined) process.exitCode = await restore(store, config, {})
  else await drill(store, config, values.drill)
}

async function drill(store: StorageBackend, config: Config, at: string): Promise<void> {
  const isServer = /^postgres(ql)?:/.test(at)
  const dataDir = await mkdtemp(join(isServer ? config.dataDir : at, 'drill-'))
  const name = `fixpoint_drill_${process.pid}`
  const databaseUrl = isServer ? Object.assign(new URL(at), { pathname: `/${name}` }).href : undefined
  const onServer = (statement: string) => withServer(at, (server) => server.executeScript(statement))
  try {
    if (isServer) await onServer(`CREATE DATABASE ${name}`)
    const none = { DATABASE_URL_FILE: '', DATABASE_REPLICA_URLS: '', DATABASE_REPLICA_URLS_FILE: '', S3_URL: '', S3_URL_FILE: '' }
    const env = { ...none, DATABASE_URL: databaseUrl ?? '', DATA_DIR: dataDir, MIGRATE_ON_START: 'on' }
    const code = await restore(store, { databaseUrl, dataDir, s3Url: undefined }, env)
    if (code === 1) throw new UserFacingError('The drill failed: the restored data is damaged or incomplete.')
    await storeReport(await openFileStore(config), 'drill')
    printResult('The drill succeeded.', { drill: 'succeeded' })
  } finally {
    if (isServer) await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Restores pictures first, then the database, each with its checksum, and returns the exit code of `npm run verify`. */
async function restore(store: StorageBackend, target: Target, env: Readonly<Record<string, string>>): Promise<number> {
  const checksums = await readChecksums(store)
  const parts = [...checksums.keys()].filter((key) => !isFile(key)).toSorted()
  await assertFits(parts, target)
  const [files, show] = [await openFileStore(target), progressLines()]
  const lock = target.databaseUrl === undefined ? lockFolder(target.dataDir, 'npm run restore') : undefined
  const folder = await mkdtemp(join(target.dataDir, 'restore-'))
  const fetchFile = async (key: string) => {
    const path = join(folder, key.replaceAll('/', '-'))
    const file = await store.open(key)
    if (file) await pipeline(file.stream, createWriteStream(path))
    if (!file || (await hashFile(path)) !== checksums.get(key))
      throw new UserFacingError(`${key} of the backup is missing or damaged. Nothing was restored into the database.`)
    return path
  }
  try {
    const limit = pLimit(COPIES)
    let copied = 0
    const copyPicture = async (key: string) => {
      const path = await fetchFile(key)
      await files.put(key, path, isPicture(key) ? `image/${key.endsWith('.jpg') ? 'jpeg' : key.slice(-3)}` : 'text/plain')
      await rm(path)
      show(`${(copied += 1)} pictures …`)
    }
    await Promise.all([...checksums.keys()].filter(isFile).map((key) => limit(copyPicture, key)))
    await restoreDatabase(target, async function* () {
      for (const part of parts) {
        const path = await fetchFile(part)
        yield* createReadStream(path)
        await rm(path)
        show(`${part} of ${parts.length} parts of the database …`)
      }
    })
  } catch (error) {
    // It was empty before.
    if (target.databaseUrl === undefined) await rm(join(target.dataDir, 'database'), { recursive: true, force: true })
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
    lock?.release()
  }
  const run = async (command: string, args: readonly string[], more = {}) => {
    const options = { stdio: 'inherit', env: { ...process.env, ...env, ...more } } as const
    const { ended, child } = startProgram(
      process.execPath,
      [join(import.meta.dirname, command), ...args, ...(isJson ? ['--json'] : [])],
      options,
    )
    await ended.catch(() => undefined)
    return child.exitCode ?? 1
  }
  // An older schema is migrated first. Without a list there is nothing to do.
  for await (const _entry of files.list([ERASED_FOLDER])) {
    if ((await run('user.ts', ['erase-again'], { MIGRATE_ON_START: 'on' })) !== 0) return 1
    break
  }
  return run('verify.ts', [])
}

/** @throws UserFacingError if there is no backup, or the database is of the other engine or not empty */
async function assertFits([first]: readonly string[], { databaseUrl, dataDir }: Target): Promise<void> {
  if (first === undefined) throw new UserFacingError('There is no complete backup: the file SHA256SUMS is missing.')
  if (first.includes('.dump.') !== (databaseUrl !== undefined))
    throw new UserFacingError(
      databaseUrl === undefined
        ? 'This is the backup of a PostgreSQL server: set DATABASE_URL to an empty database.'
        : 'This is the backup of an embedded database: restore it without DATABASE_URL, then copy it with "npm run migrate -- --from".',
    )
  const isUsed =
    databaseUrl === undefined ? !isEmptyFolder(join(dataDir, 'database')) : await withServer(databaseUrl, hasMigrations)
  if (isUsed) throw new UserFacingError('The database is not empty. Restore into a new database or DATA_DIR.')
}

async function withServer<Result>(url: string, work: (server: PostgresDatabase) => Promise<Result>): Promise<Result> {
  const server = openPostgres({ url, pools: { read: 1, write: 1 } })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

/** One transaction restores a dump, so that a damaged part leaves a server's database empty. */
async function restoreDatabase({ databaseUrl, dataDir }: Target, read: () => AsyncGenerator<Buffer>): Promise<void> {
  const { address, password } = splitPassword(databaseUrl ?? '')
  const { child, ended } =
    databaseUrl === undefined
      ? startProgram('tar', ['-xf', '-', '-C', dataDir], { stdio: ['pipe', 'inherit', 'inherit'] })
      : startProgram('pg_restore', ['--exit-on-error', '--no-owner', '--single-transaction', `--dbname=${address}`], {
          stdio: ['pipe', 'inherit', 'inherit'],
          env: { ...process.env, PGPASSWORD: password ?? process.env['PGPASSWORD'] },
        })
  await pipeline(read, child.stdin ?? process.stdout).catch(async (error: NodeJS.ErrnoException) => {
    // A program that has read enough, or has failed, closes its input.
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    child.kill()
    await ended.catch(() => undefined)
    throw error
  })
  await ended
}

await runCommand(new URL('./help/restore.txt', import.meta.url), run)
