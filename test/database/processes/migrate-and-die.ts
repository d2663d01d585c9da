// A process that migrates the database of its environment and is killed at one migration: `before` the database has run it, or
// `after` that and before the next. Arguments: which migration (1 is the first), and when.
import { readConfig } from '../../../src/config.ts'
import type { Database } from '../../../src/database/database.ts'
import { openEmbedded } from '../../../src/database/embedded.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'

const [which, when] = process.argv.slice(2)
const { databaseUrl, dataDir } = readConfig(process.env)
const database = databaseUrl === undefined ? await openEmbedded(`${dataDir}/database`) : openPostgres({ url: databaseUrl })
let scripts = 0

const mortal: Database = {
  ...database,
  async executeScript(text) {
    if (!text.includes('CREATE TABLE _prisma_migrations') && ++scripts === Number(which)) {
      if (when === 'after') await database.executeScript(text)
      process.kill(process.pid, 'SIGKILL')
    }
    await database.executeScript(text)
  },
}
await migrate(mortal)
