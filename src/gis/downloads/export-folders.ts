import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'fixpoint-export-'
/** A restarted container often has the same process id, so the name also has the start time. */
const processName = `${process.pid}-${Math.round(performance.timeOrigin).toString(36)}`
/** Age from which a folder is deleted even if another process with this id is alive. */
const STALE_MS = 86_400_000

export const createExportFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${processName}-`))

export const deleteExportFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

/** Deletes the folders of processes that were killed. Other processes may use the same temporary folder. */
export async function deleteStaleExportFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner = '', pid] = new RegExp(`^${PREFIX}((\\d+)-[\\da-z]+)-`).exec(name) ?? []
    if (pid === undefined || owner === processName) continue
    const path = join(tmpdir(), name)
    if ((await isOld(path)) || Number(pid) === process.pid || !isAlive(Number(pid))) await deleteExportFolder(path)
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
  return Date.now() - mtimeMs > STALE_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
