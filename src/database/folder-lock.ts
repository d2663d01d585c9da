import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Who holds a data folder, as told to whoever comes second. */
export interface Holder {
  readonly pid: number
  /** What it is doing, such as "npm start at http://127.0.0.1:3000". */
  readonly doing: string
  readonly since: string
}

export class FolderInUse extends Error {
  override name = 'FolderInUse'
  constructor(folder: string, holder: Holder | undefined) {
    const who = holder ? `${holder.doing} (process ${holder.pid}, since ${holder.since})` : 'another process that is just starting'
    super(
      `The data folder ${folder} is in use by ${who}. Two processes on one embedded database destroy it: stop that one first, ` +
        'or give this one another folder with DATA_DIR, or use a PostgreSQL server with DATABASE_URL.',
    )
  }
}

export interface FolderLock {
  /** Says anew what the holder is doing. */
  describe(doing: string): void
  release(): void
}

/**
 * Takes a data folder for this process. The lock is an exclusive lock of the kernel, held through SQLite, which comes with
 * Node: it ends with the process however that dies, so a stale one cannot exist, and nothing depends on clocks or process ids.
 * The file beside it only tells people who the holder is.
 * @throws FolderInUse while another living process holds it.
 */
export function lockFolder(folder: string, doing: string): FolderLock {
  mkdirSync(folder, { recursive: true })
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
    writeFileSync(holderFile, JSON.stringify({ pid: process.pid, doing: text, since } satisfies Holder))
  }
  describe(doing)
  return {
    describe,
    release() {
      if (!lock.isOpen) return
      rmSync(holderFile, { force: true })
      lock.close()
    },
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return undefined
  }
}
