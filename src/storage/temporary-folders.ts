import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'fixpoint-work-'

/** Returns the result of `work` and removes its folder. */
export async function withTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes temporary folders that killed processes left on this machine. The age decides because other processes may use the same folder. */
export async function removeStaleFolders(before: Date, prefix = PREFIX): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix))
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const { mtime } = await stat(path).catch(() => ({ mtime: new Date() }))
    if (mtime < before) await rm(path, { recursive: true, force: true })
  }
}
