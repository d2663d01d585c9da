import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

import { serverUser } from '../kill/servers.ts'

const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin']

/** Returns the path of an installed program, or undefined. */
export const programPath = (name: string) => FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))

/** Returns a folder of the user of the servers. It stays after a failed test, for its logs. */
export function createServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-operations-'))
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  chmodSync(folder, 0o755)
  onTestFinished(({ task }) => {
    if (task.result?.state === 'pass') rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}

/** Starts a program as a user that is not root. It is killed when the test ends. */
export function startProgram(folder: string, name: string, command: string, args: readonly string[], env = {}): ChildProcess {
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
  const child = spawn(programPath(command) ?? command, args, {
    ...serverUser(),
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Waits until `work` returns a value that is not undefined, false or an error. */
export async function until<Result>(
  what: string,
  work: () => Promise<Result | undefined | false>,
  max_ms = 60_000,
): Promise<Result> {
  let last: unknown
  for (const end = Date.now() + max_ms; Date.now() < end; await pause(100)) {
    const found = await work().catch((error: unknown) => {
      last = error
      return undefined
    })
    if (found !== undefined && found !== false) return found
  }
  throw new Error(`${what} did not happen in ${max_ms / 1_000} s`, { cause: last })
}
