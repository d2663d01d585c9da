import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { isBlankText, readMailbox } from '../http/schema/fields.ts'
import { runCommand } from '../process/run-command.ts'
import { addAccount, addToken, type NewAccount, setPassword } from '../accounts/account-queries.ts'
import { STRONG_LENGTH } from '../accounts/passwords/schema.ts'

const USAGE = `Creates accounts and tokens, and sets passwords.

  npm run user -- add --email ADDRESS --password PASSWORD --name NAME [--role "Verified Official"|Admin] [--organization NAME]
  npm run user -- token --email ADDRESS [--name NAME]
  npm run user -- password ADDRESS [--password PASSWORD]

  --email         the address to log in with
  --password      8 to 64 characters; use - to read it from standard input, which hides it from the list of processes.
                  Without it, the command password sets and prints a random one. Sessions and tokens of the account end.
  --name          the name of the user, 3 to 40 characters; for the command token, the purpose of the token
  --role          "Registered User" (the default), "Verified Official" or Admin
  --organization  the organisation that the account works for; its members may acknowledge issues

The command add confirms the address. The database is that of DATABASE_URL, otherwise the embedded one in DATA_DIR.
`

const roles = ['Registered User', 'Verified Official', 'Admin'] as const

class UsageError extends UserFacingError {
  constructor(message: string) {
    super(`${message}\n\n${USAGE}`)
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
  const options = verb === 'password' && values.email === undefined ? { ...values, email: rest.shift() } : values
  if (rest.length > 0 || (verb !== 'add' && verb !== 'token' && verb !== 'password'))
    throw new UsageError('The first argument must be add, token or password.')
  const account = verb === 'add' ? await parseAccount(values) : undefined
  const email = account?.email ?? parseEmail(options)
  const password = verb === 'password' ? await readNewPassword(values) : undefined
  const tokenName = values.name?.trim() || undefined

  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect(config, { activity: `npm run user -- ${verb}`, say })
  try {
    if (account) {
      const { id } = await addAccount(database, account)
      print(
        `Created user ${id}: ${account.name} <${account.email}>, ${account.role}${account.organization ? ` at ${account.organization}` : ''}.\n`,
      )
    } else if (password) {
      const { name } = await setPassword(database, email, password.text)
      say(`The password of ${name} <${email}> is changed. All sessions and tokens have ended.`)
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

async function parseAccount(options: Options): Promise<NewAccount> {
  const password = await readPassword(options)
  const { role = 'Registered User' } = options
  const name = options.name?.trim() ?? ''
  const known = roles.find((one) => one === role)
  const errors = [
    length(name) < 3 || length(name) > 40 || isBlankText(name) ? '--name must have 3 to 40 characters' : '',
    isPassword(password) ? '' : PASSWORD_ERROR,
    known ? '' : `--role must be one of ${roles.join(', ')}`,
  ].filter((error) => error !== '')
  const email = parseEmail(options, errors)
  if (!known || password === undefined) throw new UsageError(errors.join('\n'))
  return { email, password, name, role: known, organization: options.organization }
}

const length = (value: string) => [...value].length

const PASSWORD_ERROR = `--password must have ${STRONG_LENGTH.min} to ${STRONG_LENGTH.max} characters`
const isPassword = (password = '') => length(password) >= STRONG_LENGTH.min && length(password) <= STRONG_LENGTH.max

async function readPassword({ password }: Options): Promise<string | undefined> {
  return password === '-' ? (await text(process.stdin)).replace(/\r?\n$/, '') : password
}

/** Returns the password of the options, or a random one of 120 bits. */
async function readNewPassword(options: Options): Promise<{ text: string; isRandom: boolean }> {
  const password = await readPassword(options)
  if (password === undefined) return { text: randomBytes(15).toString('base64url'), isRandom: true }
  if (!isPassword(password)) throw new UsageError(PASSWORD_ERROR)
  return { text: password, isRandom: false }
}

function parseEmail({ email = '' }: Options, errors: readonly string[] = []): string {
  const mailbox = readMailbox(email)
  const emailErrors = mailbox === undefined ? ['--email must be an e-mail address'] : []
  if (mailbox === undefined || errors.length > 0) throw new UsageError([...emailErrors, ...errors].join('\n'))
  return mailbox
}

function print(line: string): void {
  process.stdout.write(line)
}

await runCommand(run)
