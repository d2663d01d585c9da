import { parseArgs } from 'node:util'

import { readConfig } from '../config.ts'
import { copyDatabase } from '../database/copy-database.ts'
import { connect } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { openOlderDatabase } from '../database/open-older.ts'
import { verifyPyramid } from '../geo/pyramid/verify.ts'
import { runCommand } from '../process/run-command.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** The option `--from` copies the rows of an older version's database. */
async function migrate(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' } } })
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: 'npm run migrate', say })
  try {
    if (values.from === undefined) say('The database is up to date.')
    else await copyFrom(values.from, database)
  } finally {
    await database.close()
  }
}

async function copyFrom(from: string, to: Database): Promise<void> {
  const older = await openOlderDatabase(from)
  try {
    say('Copying every row of the older database …')
    const counts = await copyDatabase(older, to, 'The older database')
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    say(`Copied ${rows} rows of ${counts.size} tables. Rebuilding derived tables …`)
    await verifyPyramid(to)
    await to.executeScript('ANALYZE')
    say('All rows are copied. Pictures in a data folder are not copied: copy its folder "files" into DATA_DIR (docs/backup.md).')
  } finally {
    await older.close()
  }
}

await runCommand(migrate)
