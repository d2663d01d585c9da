// This process migrates the database of its environment and is killed at one migration. The arguments are the number of the
// migration (1 is the first), and `before` or `after`: whether the database has run it.
import { readConfig } from '../../../src/config.ts'
import type { Database } from '../../../src/database/database.ts'
import { openEmbedded } from '../../../src/database/embedded.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'

const [which, when] = process.argv.slice(2)
const { databaseUrl, dataDir } = readConfig(process.env)
const database = databaseUrl === undefined ? await openEmbedded(`${dataDir}/database`) : openPostgres({ url: databaseUrl })
let scripts = 0

const killedDatabase: Database = {
  ...database,
  async executeScript(text) {
    if (!text.includes('CREATE TABLE _prisma_migrations') && ++scripts === Number(which)) {
      if (when === 'after') await database.executeScript(text)
      process.kill(process.pid, 'SIGKILL')
    }
    await database.executeScript(text)
  },
}
await migrate(killedDatabase)
