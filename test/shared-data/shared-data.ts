import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'

/** The data folder next to the project. A clone does not have it, and the project needs it for these tests only. */
const folder = new URL('../../../shared/data/', import.meta.url)

export const sharedFile = (name: string): URL => new URL(name, folder)

/** A `describe` for tests that read `../shared/data`: one skipped test whose name gives the reason where the folder is absent. */
export function describeWithSharedData(name: string, tests: () => void): void {
  if (existsSync(folder)) describe(name, tests)
  else test.skipIf(true)(`${name} (skipped: ../shared/data is absent)`, () => undefined)
}
