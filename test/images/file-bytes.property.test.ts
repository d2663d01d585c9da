import fc from 'fast-check'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { FileBytes } from '../../src/images/strip-metadata/file-bytes.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runs } from '../helpers/long.ts'

const LENGTH = 200_000

describe('FileBytes', () => {
  it('reads the same bytes as the complete file at every offset', () => {
    const folder = createTemporaryFolder()
    const whole = Buffer.from(Array.from({ length: LENGTH }, (_, place) => (place * 31 + (place >> 8)) % 256))
    writeFileSync(join(folder, 'all'), whole)
    const file = openSync(join(folder, 'all'), 'r')
    const bytes = new FileBytes(file)
    // Offsets near the borders of windows and of the file are as frequent as all others.
    const place = fc.oneof(
      fc.integer({ min: 0, max: LENGTH + 10 }),
      fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -3, max: 3 })).map(([n, by]) => Math.max(0, n * 65_536 + by)),
      fc.integer({ min: LENGTH - 3, max: LENGTH + 3 }),
    )
    const step = fc.tuple(fc.constantFrom('at', 'slice', 'view', 'copy'), place, fc.integer({ min: 0, max: 150_000 }))

    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        for (const [kind, start, length] of steps) {
          const expected = whole.subarray(start, start + length)
          if (kind === 'at') expect(bytes.at(start)).toBe(whole[start])
          if (kind === 'slice') expect(bytes.slice(start, start + length).equals(expected)).toBe(true)
          if (kind === 'view') {
            const view = bytes.view(start)
            expect(view.equals(whole.subarray(start, start + view.length))).toBe(true)
            expect(view.length).toBeGreaterThanOrEqual(Math.min(2, Math.max(0, LENGTH - start)))
          }
          if (kind === 'copy') {
            const to = openSync(join(folder, 'copy'), 'w')
            bytes.copy(start, start + length, to)
            closeSync(to)
            expect(readFileSync(join(folder, 'copy')).equals(expected)).toBe(true)
          }
        }
      }),
      runs(100),
    )
    closeSync(file)
  })
})
