import { readFileSync, writeFileSync } from 'node:fs'

import { statesDocument } from './states-document.ts'

/** `node test/helpers/documents/write-states.ts`: writes the made part of docs/STATES.md anew. */
const file = new URL('../../../docs/STATES.md', import.meta.url)
const [before = '', after = ''] = readFileSync(file, 'utf8').split(/<!-- states -->[^]*<!-- \/states -->/)
writeFileSync(file, `${before}<!-- states -->\n${statesDocument()}\n<!-- /states -->${after}`)
