import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { folderError } from './connection-errors.ts'

/** The process that holds a data folder, as reported to a second process. */
export interface LockHolder {
  readonly pid: number
  /** An activity such as "npm start at http://127.0.0.1:3000". */
  readonly activity: string
  readonly since: string
}

export class FolderInUse extends UserFacingError {
  override name = 'FolderInUse'
  constructor(folder: string, holder: LockHolder | undefined) {
    const who = holder
      ? `${holder.activity} (process ${holder.pid}, since ${holder.since})`
      : 'another process that is just starting'
    super(
      `The data folder ${folder} is in use by ${who}. Two processes on one embedded database destroy it: stop that one first, ` +
        'or give this one another folder with DATA_DIR, or use a PostgreSQL server with DATABASE_URL.',
    )
  }
}

export interface FolderLock {
  /** Replaces the reported activity. */
  describe(activity: string): void
  release(): void
}

/**
 * Locks a data folder for this process. The lock is an exclusive file lock taken by Node's SQLite: the kernel releases it when the
 * process dies, so it is never stale and does not depend on clocks or process ids. The file next to it only describes the holder.
 * @throws FolderInUse if another process holds it, UserFacingError if the folder cannot be created or written to
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
  const holderFile = join(folder, 'lock-holder.json')
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === 5) throw new FolderInUse(folder, readHolder(holderFile))
    throw error
  }
  const since = new Date().toISOString()
  const describe = (text: string) => {
    writeFileSync(holderFile, JSON.stringify({ pid: process.pid, activity: text, since } satisfies LockHolder))
  }
  describe(activity)
  return {
    describe,
    release() {
      if (!lock.isOpen) return
      rmSync(holderFile, { force: true })
      lock.close()
    },
  }
}

/** The option `recursive` of Node loops endlessly if the system refuses a folder with ENOENT, as under /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  mkdirSync(folder)
}

function readHolder(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder
  } catch {
    return undefined
  }
}
