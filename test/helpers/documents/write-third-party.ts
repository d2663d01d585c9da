import { writeFileSync } from 'node:fs'

import { thirdParty } from './third-party.ts'

/** `npx node test/helpers/documents/write-third-party.ts`: writes THIRD_PARTY.md anew. */
writeFileSync(new URL('../../../THIRD_PARTY.md', import.meta.url), thirdParty())
