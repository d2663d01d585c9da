import { existsSync, readdirSync, rmSync, statSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { folderError } from './connection-errors.ts'

/** Files that initdb creates and the engine requires. */
const FILES = ['PG_VERSION', 'global/pg_control', 'global/pg_filenode.map', 'postgresql.conf']
/** Copies that omit empty folders lack some of these. */
const FOLDERS = [
  ...['base', 'global', 'pg_commit_ts', 'pg_dynshmem', 'pg_logical', 'pg_logical/mappings', 'pg_logical/snapshots', 'pg_multixact'],
  ...['pg_multixact/members', 'pg_multixact/offsets', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat'],
  ...['pg_stat_tmp', 'pg_subtrans', 'pg_tblspc', 'pg_twophase', 'pg_wal', 'pg_xact'],
]
/** Segments change, but there is always one; its name is hexadecimal. */
const SEGMENT_FOLDERS = ['pg_multixact/members', 'pg_multixact/offsets', 'pg_wal', 'pg_xact']

export const isEmptyFolder = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

/** Images are in subfolders (`newFileKey`), and an empty subfolder may remain. */
export const containsImages = (folder: string): boolean =>
  listNames(folder).some((name) => listNames(join(folder, name)).length > 0)

/** Judges by the names and sizes of files. */
export function findMissingClusterPaths(folder: string): string[] {
  const databases = listNames(join(folder, 'base'))
    .filter((name) => /^\d+$/.test(name))
    .flatMap((oid) => [`base/${oid}/PG_VERSION`, `base/${oid}/pg_filenode.map`])
  const hasSegment = (path: string) => listNames(join(folder, path)).some((name) => /^[0-9A-F]+$/.test(name))
  return [
    ...[...FILES, ...databases].filter((path) => !isNonEmptyFile(join(folder, path))),
    ...FOLDERS.filter((path) => !isFolder(join(folder, path))),
    ...SEGMENT_FOLDERS.filter((path) => !hasSegment(path)).map((path) => `${path}/0…`),
  ]
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const listNames = (path: string) => (isFolder(path) ? readdirSync(path) : [])

function isNonEmptyFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isFile() && found.size > 0
}

interface LockOwner {
  readonly pid: number
  /** An activity such as "npm start at http://127.0.0.1:3000". */
  readonly activity: string
  readonly since: string
}

export class FolderInUse extends UserFacingError {
  override name = 'FolderInUse'
  constructor(folder: string, owner: LockOwner | undefined) {
    const other = owner ? `${owner.activity} (process ${owner.pid}, since ${owner.since})` : 'another process that is starting'
    super(
      `The data folder ${folder} is in use by ${other}. Two processes would damage the embedded database. Stop the other process, ` +
        'set DATA_DIR to another folder, or set DATABASE_URL to use a PostgreSQL server.',
    )
  }
}

export interface FolderLock {
  describe(activity: string): void
  release(): void
}

/**
 * The lock is a file lock of Node's SQLite: the kernel releases it when the process dies, so it is never stale.
 * @throws FolderInUse if another process has locked it, UserFacingError if the folder cannot be created or written to
 */
export function lockFolder(folder: string, activity: string): FolderLock {
  try {
    return takeLock(folder, activity)
  } catch (error) {
    throw error instanceof UserFacingError ? error : folderError(error, folder)
  }
}

function takeLock(folder: string, activity: string): FolderLock {
  makeFolder(resolve(folder))
  const ownerFile = join(folder, 'lock-owner.json')
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === 5) throw new FolderInUse(folder, readOwner(ownerFile))
    throw error
  }
  const since = new Date().toISOString()
  const describe = (text: string) => {
    writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, activity: text, since } satisfies LockOwner))
  }
  describe(activity)
  return {
    describe,
    release() {
      if (!lock.isOpen) return
      rmSync(ownerFile, { force: true })
      lock.close()
    },
  }
}

/** Node's option `recursive` loops endlessly if the system refuses a folder with ENOENT, as under /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  mkdirSync(folder)
}

function readOwner(file: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockOwner
  } catch {
    return undefined
  }
}
