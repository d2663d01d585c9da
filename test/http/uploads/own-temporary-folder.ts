import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** Gives the apps of a test file their own temporary folder and lists its entries. */
export function useOwnTemporaryFolder() {
  const before = process.env['TMPDIR']
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
    process.env['TMPDIR'] = folder
  })
  afterAll(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get path() {
      return folder
    },
    entries: () => readdir(folder, { recursive: true }),
  }
}
