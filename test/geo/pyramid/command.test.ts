import { describe, expect, inject, test } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { createTestDatabase, engine } from '../../helpers/database.ts'
import { givenIn } from '../../helpers/given.ts'
import { runNode } from '../../helpers/processes.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'

describe.runIf(engine === 'server')(
  'npm run verify:pyramid (on a server: on the embedded engine the same command opens the folder)',
  () => {
    test('says what was wrong and mends it; the second time that all is right', async () => {
      const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
      const db = openPostgres({ url, poolMax: 2 })
      try {
        await givenIn(db).issue({ at: { lng: -105, lat: 39.7 } })
        const run = () => runNode('src/issues/command.ts', [], { DATABASE_URL: url })
        const first = await run()
        await db.query(sql`UPDATE issue_cells SET open = 5 WHERE cell = 1`)
        const second = await run()

        expect([first.code, first.stdout]).toEqual([
          0,
          expect.stringMatching(
            /^Added up 1 changes; compared 17 cells of 17 levels in \d+\.\d s\.\nEvery cell holds what its issues say\.\nEvery place and watch area is covered as its border says\.\n$/,
          ),
        ])
        expect([second.code, second.stdout]).toEqual([
          0,
          expect.stringContaining('1 cells were wrong and are mended:\n  cell 1 of level 0: 4 open too many\n'),
        ])
      } finally {
        await db.close()
        await drop()
      }
    })
  },
)
