import { readConfig } from '../config.ts'
import { connect } from './connect.ts'

/** `npm run migrate`: brings the database that the environment names up to date, and says what that took. */
async function run(): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const { database } = await connect(readConfig(process.env), { doing: 'npm run migrate', say })
  await database.close()
  say('The database is up to date.')
}

/** An address with several IP addresses fails with one error for each and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}
