import { existsSync } from 'node:fs'
import { describe, it } from 'vitest'

/** The data folder next to the project. A clone does not have it; only these tests need it. */
const folder = new URL('../../../shared/data/', import.meta.url)

export const sharedFile = (name: string): URL => new URL(name, folder)

/** Describes tests that read `../shared/data`. Without the folder it adds one skipped test whose name gives the reason. */
export function describeWithSharedData(name: string, tests: () => void): void {
  if (existsSync(folder)) describe(name, tests)
  else it.skipIf(true)(`${name} (skipped: ../shared/data is absent)`, () => undefined)
}
