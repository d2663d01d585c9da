import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import pLimit from 'p-limit'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { ERASED_FOLDER } from '../accounts/erasure.ts'
import { type Config, readConfig } from '../config.ts'
import { lockFolder } from '../database/embedded-folder.ts'
import { splitPassword } from '../environment/database-address.ts'
import { progressLines } from '../process/progress-lines.ts'
import { printResult, runCommand } from '../process/run-command.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { storeReport } from '../storage/reports.ts'
import { CHECKSUMS, COPIES, hashFile, isPicture, openBackupStore, readChecksums, startProgram } from './backup-store.ts'

/** A part is one upload, which has a limit of time. */
const PART_BYTES = 32 * 1024 * 1024
const BINARY = 'application/octet-stream'

/**
 * Pictures are copied before and after the dump: they never change, so that the copies have every picture that the dump names. An
 * interrupted run leaves the backup before it as it was.
 */
async function backUp(): Promise<void> {
  const address = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } }).positionals[0]
  const config = readConfig(process.env, { requirePublicUrl: false })
  const [store, files, show] = [await openBackupStore(address, config), await openFileStore(config), progressLines()]
  await mkdir(config.dataDir, { recursive: true })
  const lock = config.databaseUrl === undefined ? lockFolder(config.dataDir, 'npm run backup') : undefined
  const folder = await mkdtemp(join(config.dataDir, 'backup-'))
  // Parts of a dump that failed: no later run would know them.
  const unlisted = new Set<string>()
  try {
    const before = await readChecksums(store)
    const checksums = new Map<string, string>()
    const copyPicture = async (key: string) => {
      const path = join(folder, key.replaceAll('/', '-'))
      const known = before.get(key)
      // A picture may have been deleted since it was listed.
      if (known === undefined && !(await files.download(key, path))) return
      checksums.set(key, known ?? (await hashFile(path)))
      if (known === undefined) await store.put(key, path, BINARY)
      await rm(path, { force: true })
      show(`${checksums.size} pictures …`)
    }
    const copyPictures = async () => {
      const limit = pLimit(COPIES)
      const copies: Promise<void>[] = []
      for (const folders of [undefined, [ERASED_FOLDER]])
        for await (const { key } of files.list(folders)) if (!checksums.has(key)) copies.push(limit(copyPicture, key))
      await Promise.all(copies)
    }
    await copyPictures()
    const bytes = await dump(config, async (name, contents) => {
      unlisted.add(name)
      const path = join(folder, name)
      await writeFile(path, contents)
      checksums.set(name, await hashFile(path))
      await store.put(name, path, BINARY)
      await rm(path)
      show(`${name} of the database …`)
    })
    await copyPictures()
    const list = join(folder, CHECKSUMS)
    await writeFile(list, [...checksums].map(([key, sum]) => `${sum}  ${key}\n`).join(''))
    // The list may be stored although the response says otherwise.
    unlisted.clear()
    await store.put(CHECKSUMS, list, 'text/plain')
    for (const key of before.keys()) if (!checksums.has(key)) await store.remove(key)
    await storeReport(files, 'backup')
    const pictures = [...checksums.keys()].filter(isPicture).length
    printResult(`Backed up ${Math.ceil(bytes / 1024)} kB of the database and ${pictures} pictures to ${address}.`, {
      bytes,
      pictures,
    })
  } finally {
    for (const name of unlisted) await store.remove(name).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
    lock?.release()
  }
}

/** Stores the database in parts and returns its bytes. The files of an embedded database are consistent while it is locked. */
async function dump(
  { databaseUrl, directUrl, dataDir }: Config,
  storePart: (name: string, part: Buffer) => Promise<void>,
): Promise<number> {
  const { address, password } = splitPassword(directUrl ?? databaseUrl ?? '')
  const { child, ended } =
    databaseUrl === undefined
      ? startProgram('tar', ['-cf', '-', '-C', dataDir, 'database'], { stdio: ['ignore', 'pipe', 'inherit'] })
      : startProgram(
          'pg_dump',
          // The queue refers to this database only, and its schema belongs to the role of the service.
          [
            '--format=custom',
            '--no-comments',
            '--exclude-table-data=spatial_ref_sys',
            '--exclude-schema=bullmq',
            `--dbname=${address}`,
          ],
          { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PGPASSWORD: password } },
        )
  // With milliseconds: a second run does not write over the dump of the first, which is whole until the list of checksums changes.
  const time = new Date().toISOString().replace(/[.:-]/g, '')
  let [chunks, bytes, parts, total]: [Buffer[], number, number, number] = [[], 0, 0, 0]
  const flush = async () => {
    const number = String((parts += 1)).padStart(5, '0')
    await storePart(`database-${time}.${databaseUrl === undefined ? 'tar' : 'dump'}.${number}`, Buffer.concat(chunks))
    ;[chunks, total, bytes] = [[], total + bytes, 0]
  }
  for await (const chunk of child.stdout ?? []) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes >= PART_BYTES) await flush()
  }
  await ended
  await flush()
  return total
}

await runCommand(new URL('./help/backup.txt', import.meta.url), backUp)
