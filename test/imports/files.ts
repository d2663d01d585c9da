import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** Writes a file that is removed after the test. Returns its path. */
export function writeTemporaryFile(name: string, content: string | Buffer): string {
  const path = join(createTemporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

/** Joins CSV lines; values are not quoted. */
export const csv = (...lines: string[]): string => `${lines.join('\n')}\n`

export const featureCollection = (...features: unknown[]): string => JSON.stringify({ type: 'FeatureCollection', features })
