import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Stores mails as RFC 5322 files, which mail programs open. They contain login links and must stay private. */
export interface MailFolder {
  keep(id: string, bytes: Buffer): Promise<string>
  list(count: number): Promise<string[]>
  /** Removes up to `count` files that are older than `before`, including incomplete ones, and returns their number. */
  removeOlder(before: Date, count: number): Promise<number>
  read(name: string): Promise<Buffer | undefined>
}

/** The pattern rejects path traversal. */
const NAME = /^[\w-]{1,100}\.eml$/
/** An incomplete file: it is being written, or a crash interrupted the write. */
const HALF = /^\.[\da-f]{16}$/

export function mailFolderIn(dataDir: string, now = () => new Date()): MailFolder {
  const folder = join(dataDir, 'mails')
  return {
    async keep(id, bytes) {
      const name = `${stampOf(now())}_${id}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Writing to a temporary name and renaming it shows concurrent readers a whole file or none.
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

/** ISO timestamp that sorts alphabetically and has no characters that file names forbid. */
const stampOf = (moment: Date) => moment.toISOString().replaceAll(/[:.]/g, '-')

const ifAbsent =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error
    return value
  }
