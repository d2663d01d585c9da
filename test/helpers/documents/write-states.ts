import { readFileSync, writeFileSync } from 'node:fs'

import { statesDocument } from './states-document.ts'

/** `node test/helpers/documents/write-states.ts` generates the table and the diagram in docs/STATES.md. */
const file = new URL('../../../docs/STATES.md', import.meta.url)
const [before = '', after = ''] = readFileSync(file, 'utf8').split(/<!-- states -->[^]*<!-- \/states -->/)
writeFileSync(file, `${before}<!-- states -->\n${statesDocument()}\n<!-- /states -->${after}`)
