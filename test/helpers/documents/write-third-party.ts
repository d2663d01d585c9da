import { writeFileSync } from 'node:fs'

import { thirdParty } from './third-party.ts'

/** `npx node test/helpers/documents/write-third-party.ts` generates THIRD_PARTY.md. */
writeFileSync(new URL('../../../THIRD_PARTY.md', import.meta.url), thirdParty())
