import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'
import { readMailbox } from '../http/schema/mailbox.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import { runCommand } from '../process/run-command.ts'
import { addAccount, addToken, type NewAccount, setPassword } from '../accounts/account-queries.ts'

/** `npm run user -- …`: accounts for the people who run the service. */
const USAGE = `Makes accounts and tokens, and sets passwords.

  npm run user -- add --email ADDRESS --password PASSWORD --name NAME [--role "Verified Official"|Admin] [--organization NAME]
  npm run user -- token --email ADDRESS [--name NAME]
  npm run user -- password ADDRESS [--password PASSWORD]

  --email         the address to log in with
  --password      4 to 40 characters; - reads it from standard input, so that it stands in no list of processes
                  with password: without it a random one is made and printed; all sessions and tokens of the account end
  --name          3 to 40 characters, without spaces around them; with token: what the token is for
  --role          "Registered User" (the default), "Verified Official" or Admin
  --organization  the name of an organization that the account works for; its members may acknowledge issues

An address that is added counts as confirmed. The database is that of DATABASE_URL, else the embedded one in DATA_DIR.
`

const roles = ['Registered User', 'Verified Official', 'Admin'] as const

class UsageError extends UserFacingError {
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
  const given = verb === 'password' && values.email === undefined ? { ...values, email: rest.shift() } : values
  if (rest.length > 0 || (verb !== 'add' && verb !== 'token' && verb !== 'password'))
    throw new UsageError('Say add, token or password.')
  const account = verb === 'add' ? await accountOf(values) : undefined
  const email = account?.email ?? emailOf(given)
  const password = verb === 'password' ? await newPasswordOf(values) : undefined
  const tokenName = values.name?.trim() || undefined

  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: `npm run user -- ${verb}`, say })
  try {
    if (account) {
      const { id } = await addAccount(database, account)
      print(
        `Made user ${id}: ${account.name} <${account.email}>, ${account.role}${account.organization ? ` at ${account.organization}` : ''}.\n`,
      )
    } else if (password) {
      const { name } = await setPassword(database, email, password.text)
      say(`The new password of ${name} <${email}> holds from now on. All sessions and tokens have ended.`)
      if (password.isRandom) print(`${password.text}\n`)
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
  const password = await passwordIn(options)
  const { role = 'Registered User' } = options
  const name = options.name?.trim() ?? ''
  const known = roles.find((one) => one === role)
  const faults = [
    length(name) < 3 || length(name) > 40 || isBlankText(name) ? '--name must have 3 to 40 characters' : '',
    isPassword(password) ? '' : PASSWORD_WRONG,
    known ? '' : `--role must be one of ${roles.join(', ')}`,
  ].filter((fault) => fault !== '')
  const email = emailOf(options, faults)
  if (!known || password === undefined) throw new UsageError(faults.join('\n'))
  return { email, password, name, role: known, organization: options.organization }
}

const length = (value: string) => [...value].length

const PASSWORD_WRONG = '--password must have 4 to 40 characters'
const isPassword = (password = '') => length(password) >= 4 && length(password) <= 40

async function passwordIn({ password }: Options): Promise<string | undefined> {
  return password === '-' ? (await text(process.stdin)).replace(/\r?\n$/, '') : password
}

/** The given one, or a random one of 120 bits. */
async function newPasswordOf(options: Options): Promise<{ text: string; isRandom: boolean }> {
  const given = await passwordIn(options)
  if (given === undefined) return { text: randomBytes(15).toString('base64url'), isRandom: true }
  if (!isPassword(given)) throw new UsageError(PASSWORD_WRONG)
  return { text: given, isRandom: false }
}

function emailOf({ email = '' }: Options, faults: readonly string[] = []): string {
  const mailbox = readMailbox(email)
  const wrong = mailbox === undefined ? ['--email must be an e-mail address'] : []
  if (mailbox === undefined || faults.length > 0) throw new UsageError([...wrong, ...faults].join('\n'))
  return mailbox
}

function print(line: string): void {
  process.stdout.write(line)
}

await runCommand(run)
