import { parseArgs } from 'node:util'

import { readConfig } from '../src/config.ts'
import { connect } from '../src/database/connect.ts'
import { runCommand } from '../src/process/run-command.ts'
import { openFileStore } from '../src/storage/open-file-store.ts'
import { seedDemo } from './seeds/demo/demo.ts'
import { adminLogin, moderatorLogin, officialLogin, residentLogin } from './seeds/logins.ts'
import { cities } from './seeds/cities/index.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function seed(): Promise<void> {
  parseArgs()
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: 'npm run seed', say })
  try {
    const { added } = await seedDemo(database, { files: await openFileStore(config), say })
    if (added) say(`Log in with (e-mail address, password):\n${logins()}`)
  } finally {
    await database.close()
  }
}

function logins(): string {
  const listed = [residentLogin, ...cities.map(officialLogin), moderatorLogin, adminLogin]
  return listed.map(({ email, password, permissions }) => `  ${email.padEnd(38)} ${password.padEnd(16)} ${permissions}`).join('\n')
}

const HELP = `Adds the demo to an empty database: cities, organisations, accounts and issues.

  npm run seed

The database is that of DATABASE_URL, otherwise the embedded one in DATA_DIR.`

await runCommand(HELP, seed)
