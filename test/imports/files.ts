import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** Writes a file that is gone after the test and gives its path. */
export function givenFile(name: string, content: string | Buffer): string {
  const path = join(createTemporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

/** CSV lines without need of quotation marks. */
export const csv = (...lines: string[]): string => `${lines.join('\n')}\n`

export const featureCollection = (...features: unknown[]): string => JSON.stringify({ type: 'FeatureCollection', features })
