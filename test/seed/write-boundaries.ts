import { writeFileSync } from 'node:fs'

import { boundariesOfAtlas } from './atlas.ts'

/** `npx node test/seed/write-boundaries.ts`: writes prisma/seeds/boundaries.json anew. */
writeFileSync(new URL('../../prisma/seeds/boundaries.json', import.meta.url), boundariesOfAtlas())
