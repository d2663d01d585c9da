import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { folderError } from './connection-errors.ts'

export interface LockOwner {
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
