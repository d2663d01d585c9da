import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { statesDocument } from '../helpers/documents/states-document.ts'

it('docs/STATES.md equals the generated document (node test/helpers/documents/write-states.ts)', () => {
  const document = readFileSync(new URL('../../docs/STATES.md', import.meta.url), 'utf8')
  expect(/<!-- states -->\n([^]*)\n<!-- \/states -->/.exec(document)?.[1]).toBe(statesDocument())
})
