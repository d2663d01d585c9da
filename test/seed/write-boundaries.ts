import { writeFileSync } from 'node:fs'

import { boundariesOfAtlas } from './atlas.ts'

/** `npx node test/seed/write-boundaries.ts`: rewrites prisma/seeds/boundaries.json. */
writeFileSync(new URL('../../prisma/seeds/boundaries.json', import.meta.url), boundariesOfAtlas())
