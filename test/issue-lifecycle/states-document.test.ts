import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { statesDocument } from '../helpers/documents/states-document.ts'

test('docs/STATES.md shows the states as the rules have them (node test/helpers/documents/write-states.ts)', () => {
  const document = readFileSync(new URL('../../docs/STATES.md', import.meta.url), 'utf8')
  expect(/<!-- states -->\n([^]*)\n<!-- \/states -->/.exec(document)?.[1]).toBe(statesDocument())
})
