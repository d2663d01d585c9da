import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type MailFolder = ReturnType<typeof openMailFolder>

/** The pattern rejects path traversal. */
const NAME = /^[\w-]{1,100}\.eml$/
const MAIL_ID = /_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml$/
const INCOMPLETE = /^\.[\da-f]{16}$/

/** Mails are stored as RFC 5322 files. They contain login links and must stay private. */
export function openMailFolder(dataDir: string, now = () => new Date()) {
  const folder = join(dataDir, 'mails')
  return {
    async store(id: string, bytes: Buffer) {
      const name = `${toFileTimestamp(now())}_${id}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // The rename makes a complete file visible at once.
      const temporary = join(folder, `.${randomBytes(8).toString('hex')}`)
      await writeFile(temporary, bytes, { mode: 0o600 })
      await rename(temporary, join(folder, name))
      return name
    },

    async list(count: number) {
      const names = await readdir(folder).catch(returnIfMissing([]))
      return names
        .filter((name) => NAME.test(name))
        .sort()
        .reverse()
        .slice(0, count)
    },

    /** Removes up to `count` files older than `before`, including incomplete ones, and returns their number. */
    async deleteOlderThan(before: Date, count: number) {
      const names = await readdir(folder).catch(returnIfMissing([]))
      const oldNames = names.filter((name) => NAME.test(name) && name < toFileTimestamp(before))
      for (const name of names.filter((one) => INCOMPLETE.test(one))) {
        const file = await stat(join(folder, name)).catch(returnIfMissing(undefined))
        if (file && file.mtime < before) oldNames.push(name)
      }
      const removed = oldNames.slice(0, count)
      for (const name of removed) await rm(join(folder, name), { force: true })
      return removed.length
    },

    /** Removes the files of mails that `findKnown` does not return. */
    async deleteUnknown(findKnown: (ids: string[]) => Promise<readonly string[]>) {
      const names = await readdir(folder).catch(returnIfMissing([]))
      const ids = names.map((name) => MAIL_ID.exec(name)?.[1] ?? '')
      const known = new Set(['', ...(await findKnown(ids.filter(Boolean)))])
      for (const [n, name] of names.entries()) if (!known.has(ids[n] ?? '')) await rm(join(folder, name), { force: true })
    },

    async read(name: string) {
      return NAME.test(name) ? readFile(join(folder, name)).catch(returnIfMissing(undefined)) : undefined
    },
  }
}

/** ISO timestamps sort alphabetically; colons are replaced because file names may forbid them. */
const toFileTimestamp = (timestamp: Date) => timestamp.toISOString().replaceAll(/[:.]/g, '-')

const returnIfMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error
    return value
  }
