import { parseArgs } from 'node:util'

import { readConfig } from '../config.ts'
import { copyDatabase } from '../database/copy-database.ts'
import { connect } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { openSourceDatabase } from '../database/open-source.ts'
import { verifyPyramid } from '../geo/pyramid/verify.ts'
import { runCommand } from '../process/run-command.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** The option `--from` copies the rows of another database, such as those of an embedded one to a server. */
async function migrate(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' } } })
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect({ ...config, migrateOnStart: true }, { activity: 'npm run migrate', say })
  try {
    if (values.from === undefined) say('The database is up to date.')
    else await copyFrom(values.from, database)
  } finally {
    await database.close()
  }
}

async function copyFrom(from: string, to: Database): Promise<void> {
  const source = await openSourceDatabase(from)
  try {
    say('Copying every row …')
    const counts = await copyDatabase(source, to, from)
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    say(`Copied ${rows} rows of ${counts.size} tables. Rebuilding derived tables …`)
    await verifyPyramid(to)
    await to.executeScript('ANALYZE')
    say('All rows are copied. Pictures in a data folder are not copied: copy its folder "files" into DATA_DIR (docs/backup.md).')
  } finally {
    await source.close()
  }
}

await runCommand(migrate)
