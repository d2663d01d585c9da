import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Mails as files, one each in the format of RFC 5322, so that any mail program opens them. They hold links that log somebody in. */
export interface MailFolder {
  /** Gives the name of the file; the newer, the later in the alphabet. */
  keep(id: string, bytes: Buffer): Promise<string>
  /** Names, newest first, at most `count`. */
  list(count: number): Promise<string[]>
  /** Removes up to `count` files that were stored before that moment: mails, and what a crash left of them. @returns how many it were */
  removeOlder(before: Date, count: number): Promise<number>
  /** Undefined where there is no such file. */
  read(name: string): Promise<Buffer | undefined>
}

/** Nothing that leads out of the folder. */
const NAME = /^[\w-]{1,100}\.eml$/
/** A mail that is being written, or that a crash left half-written. */
const HALF = /^\.[\da-f]{16}$/

export function mailFolderIn(dataDir: string, now = () => new Date()): MailFolder {
  const folder = join(dataDir, 'mails')
  return {
    async keep(id, bytes) {
      const name = `${stampOf(now())}_${id}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Whoever lists meanwhile sees the whole file or none.
      const half = join(folder, `.${randomBytes(8).toString('hex')}`)
      await writeFile(half, bytes, { mode: 0o600 })
      await rename(half, join(folder, name))
      return name
    },

    async list(count) {
      const names = await readdir(folder).catch(ifAbsent([]))
      return names
        .filter((name) => NAME.test(name))
        .sort()
        .reverse()
        .slice(0, count)
    },

    async removeOlder(before, count) {
      const names = await readdir(folder).catch(ifAbsent([]))
      const old = names.filter((name) => NAME.test(name) && name < stampOf(before))
      for (const name of names.filter((one) => HALF.test(one))) {
        const file = await stat(join(folder, name)).catch(ifAbsent(undefined))
        if (file && file.mtime < before) old.push(name)
      }
      const removed = old.slice(0, count)
      for (const name of removed) await rm(join(folder, name), { force: true })
      return removed.length
    },

    async read(name) {
      return NAME.test(name) ? readFile(join(folder, name)).catch(ifAbsent(undefined)) : undefined
    },
  }
}

/** In the order of the alphabet, and allowed in the name of a file. */
const stampOf = (moment: Date) => moment.toISOString().replaceAll(/[:.]/g, '-')

const ifAbsent =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error
    return value
  }
