import { readConfig } from '../config.ts'
import { runCommand } from '../process/run-command.ts'
import { connect } from '../database/connect.ts'

/** `npm run migrate`: brings the database that the environment names up to date, and says what that took. */
async function migrate(): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const config = readConfig(process.env, { makesUrls: false })
  const { database } = await connect(config, { doing: 'npm run migrate', say })
  await database.close()
  say('The database is up to date.')
}

await runCommand(migrate)
