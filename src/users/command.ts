import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import { Explained } from '../explained.ts'
import { runOrExplain } from '../run.ts'
import { addAccount, addToken, type NewAccount } from './account-queries.ts'

/** `npm run user -- …`: accounts for the people who run the service. */
const USAGE = `Makes accounts and tokens.

  npm run user -- add --email ADDRESS --password PASSWORD --name NAME [--role "Verified Official"|Admin] [--organization NAME]
  npm run user -- token --email ADDRESS [--name NAME]

  --email         the address to log in with
  --password      4 to 40 characters; - reads it from standard input, so that it stands in no list of processes
  --name          3 to 40 characters, without spaces around them; with token: what the token is for
  --role          "Registered User" (the default), "Verified Official" or Admin
  --organization  the name of an organization that the account works for; its members may acknowledge issues

The address counts as confirmed. The database is that of DATABASE_URL, else the embedded one in DATA_DIR.
`

const roles = ['Registered User', 'Verified Official', 'Admin'] as const

class UsageError extends Explained {
  constructor(faults: string) {
    super(`${faults}\n\n${USAGE}`)
  }
}

interface Options {
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly name?: string | undefined
  readonly role?: string | undefined
  readonly organization?: string | undefined
}

async function run(): Promise<void> {
  const { positionals, values } = readArguments()
  if (values.help) return print(USAGE)
  const [verb, ...rest] = positionals
  if (rest.length > 0 || (verb !== 'add' && verb !== 'token')) throw new UsageError('Say add or token.')
  const account = verb === 'add' ? await accountOf(values) : undefined
  const email = account?.email ?? emailOf(values)
  const tokenName = values.name?.trim() || undefined

  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const config = readConfig(process.env, { makesUrls: false })
  const { database } = await connect(config, { doing: `npm run user -- ${verb}`, say })
  try {
    if (account) {
      const { id } = await addAccount(database, account)
      print(
        `Made user ${id}: ${account.name} <${account.email}>, ${account.role}${account.organization ? ` at ${account.organization}` : ''}.\n`,
      )
    } else {
      print(`${await addToken(database, email, tokenName)}\n`)
    }
  } finally {
    await database.close()
  }
}

function readArguments() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: { email: text, password: text, name: text, role: text, organization: text, help: { type: 'boolean' } },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function accountOf(options: Options): Promise<NewAccount> {
  const password = options.password === '-' ? (await text(process.stdin)).replace(/\r?\n$/, '') : options.password
  const { role = 'Registered User' } = options
  const name = options.name?.trim() ?? ''
  const known = roles.find((one) => one === role)
  const faults = [
    length(name) < 3 || length(name) > 40 ? '--name must have 3 to 40 characters' : '',
    length(password ?? '') < 4 || length(password ?? '') > 40 ? '--password must have 4 to 40 characters' : '',
    known ? '' : `--role must be one of ${roles.join(', ')}`,
  ].filter((fault) => fault !== '')
  const email = emailOf(options, faults)
  if (!known || password === undefined) throw new UsageError(faults.join('\n'))
  return { email, password, name, role: known, organization: options.organization }
}

const length = (value: string) => [...value].length

function emailOf({ email = '' }: Options, faults: readonly string[] = []): string {
  const wrong = /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email) ? [] : ['--email must be an e-mail address']
  if (faults.length + wrong.length > 0) throw new UsageError([...wrong, ...faults].join('\n'))
  return email
}

function print(line: string): void {
  process.stdout.write(line)
}

await runOrExplain(run)
