import { expect, it, onTestFinished } from 'vitest'

import type { EmbeddedDatabase } from '../../src/database/embedded.ts'
import { engine, openTestDatabase } from '../helpers/database.ts'
import { findSchemaDifference } from './schema-difference.ts'

// Prisma's engine cannot read the schema over the driver of servers.
it.runIf(engine === 'embedded')(
  'the migrations create the schema of schema.prisma, apart from indexes and generated columns that only SQL can express (embedded only)',
  async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())

    const lines = (await findSchemaDifference(database as EmbeddedDatabase))
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('--'))

    const unexpected = lines.filter(
      (line) => !/^(DROP INDEX "\w+";|ALTER TABLE "\w+"|)( ?ALTER COLUMN "\w+" DROP DEFAULT[,;])?$/.test(line),
    )
    expect(unexpected).toEqual([])
    expect(lines.filter((line) => line.includes('ALTER COLUMN')).map((line) => /ALTER COLUMN "(\w+)"/.exec(line)?.[1])).toEqual([
      'search',
      'rating',
      'point',
      'search',
      'cell',
      'popularity',
      'search',
      'location',
    ])
  },
)
