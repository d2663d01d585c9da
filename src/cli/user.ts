import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import {
  type AccountRole,
  accountRoles,
  addAccount,
  addToken,
  findSoleAccount,
  listAccounts,
  type NewAccount,
  setDisabled,
  setPassword,
  setRole,
} from '../accounts/account-queries.ts'
import { contentChoices, eraseAccount, eraseAgain } from '../accounts/erasure.ts'
import { requestReset } from '../accounts/passwords/queries.ts'
import { STRONG_LENGTH } from '../accounts/passwords/schema.ts'
import type { Database } from '../database/database.ts'
import { isBlankText } from '../http/schema/fields.ts'
import { readMailbox } from '../http/schema/mailbox.ts'
import { printResult, runCommand, UsageError } from '../process/run-command.ts'
import type { FileStore } from '../storage/file-store.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { withDatabase } from './with-database.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

/** Checks the arguments before a database is opened for the work that it returns. */
async function parseCommand(): Promise<(db: Database, files: FileStore) => Promise<void>> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { email: string, password: string, name: string, role: string, organization: string, content: string, json: boolean },
  })
  const [verb = '', address, ...rest] = positionals
  if (rest.length > 0 || (address !== undefined && values.email !== undefined)) throw new UsageError('There must be one address.')
  const errors: string[] = []
  const email = readMailbox(values.email ?? address ?? '') ?? ''
  if (email === '' && verb !== 'list' && verb !== 'erase-again') errors.push('--email must be an e-mail address')
  const valid = <Value>(value: Value | undefined): Value => {
    if (errors.length > 0 || value === undefined) throw new UsageError(errors.join('\n'))
    return value
  }
  switch (verb) {
    case 'add': {
      const account = valid(await parseAccount(email, values, errors))
      return async (db) => {
        const { id } = await addAccount(db, account)
        const { name, role, organization } = account
        const place = organization ? ` at ${organization}` : ''
        printResult(`Created user ${id}: ${name} <${email}>, ${role}${place}.`, { id, email, name, role })
      }
    }
    case 'list': {
      const role = values.role === undefined ? undefined : valid(parseRole(values.role, errors))
      return async (db) => printAccounts(db, role)
    }
    case 'token': {
      const name = values.name?.trim() || undefined
      valid(email)
      return async (db) => {
        const token = await addToken(db, email, name)
        printResult(token, { email, token })
      }
    }
    case 'password': {
      const given = await readPassword(values.password)
      if (given !== undefined && !isPassword(given)) errors.push(PASSWORD_ERROR)
      // A random one has 120 bits.
      const password = valid(given ?? randomBytes(15).toString('base64url'))
      return async (db) => {
        const { name } = await setPassword(db, email, password)
        say(`The password of ${name} <${email}> is changed. All sessions and tokens have ended.`)
        if (given === undefined) printResult(password, { email, password })
      }
    }
    case 'reset':
      valid(email)
      return async (db) => {
        await requestReset(db, email)
        printResult(`If ${email} is the confirmed address of an account, it gets a mail with a link for a new password.`, { email })
      }
    case 'role': {
      const role = valid(parseRole(values.role, errors))
      return async (db) => {
        const { name } = await setRole(db, email, role)
        printResult(`${name} <${email}> is ${role}.`, { email, name, role })
      }
    }
    case 'disable':
    case 'enable': {
      valid(email)
      const isDisabled = verb === 'disable'
      return async (db) => {
        const { name } = await setDisabled(db, email, isDisabled)
        printResult(`The account of ${name} <${email}> is ${verb}d.`, { email, name, isDisabled })
      }
    }
    case 'erase': {
      const content = contentChoices.find((one) => one === (values.content ?? 'keep'))
      if (!content) errors.push('--content must be keep or delete')
      const choice = valid(content)
      return async (db, files) => {
        const userId = await findSoleAccount(db, email)
        await eraseAccount({ db, files }, { userId, content: choice })
        printResult(`The account of ${email} is erased.`, { email, content: choice })
      }
    }
    case 'erase-again':
      return async (db, files) => {
        const erased = await eraseAgain({ db, files })
        printResult(`Erased ${erased} accounts again that were erased before.`, { erased })
      }
    default:
      throw new UsageError(
        'The first argument must be add, list, token, password, reset, role, disable, enable, erase or erase-again.',
      )
  }
}

async function printAccounts(db: Database, role: AccountRole | undefined): Promise<void> {
  for await (const account of listAccounts(db, role)) {
    const { id, name, email, role: shownRole, organizations, disabled_at } = account
    const teams = organizations.map((one) => `${one.name} (${one.role})`).join(', ')
    const columns = [id, email ?? '-', name, shownRole, teams || '-', disabled_at ? 'disabled' : 'active']
    printResult(columns.join('\t'), account)
  }
}

async function parseAccount(
  email: string,
  options: Readonly<Partial<Record<'password' | 'name' | 'role' | 'organization', string>>>,
  errors: string[],
): Promise<NewAccount | undefined> {
  const name = options.name?.trim() ?? ''
  if (length(name) < 3 || length(name) > 40 || isBlankText(name)) errors.push('--name must have 3 to 40 characters')
  const password = await readPassword(options.password)
  if (!isPassword(password)) errors.push(PASSWORD_ERROR)
  const role = parseRole(options.role ?? 'Registered User', errors)
  return password === undefined || role === undefined
    ? undefined
    : { email, password, name, role, organization: options.organization }
}

function parseRole(value: string | undefined, errors: string[]): AccountRole | undefined {
  const role = accountRoles.find((one) => one === value)
  if (!role) errors.push(`--role must be one of ${accountRoles.join(', ')}`)
  return role
}

const length = (value: string) => [...value].length

const PASSWORD_ERROR = `--password must have ${STRONG_LENGTH.min} to ${STRONG_LENGTH.max} characters`
const isPassword = (password = '') => length(password) >= STRONG_LENGTH.min && length(password) <= STRONG_LENGTH.max

const readPassword = async (password: string | undefined): Promise<string | undefined> =>
  password === '-' ? (await text(process.stdin)).replace(/\r?\n$/, '') : password

const say = (line: string) => void process.stderr.write(`${line}\n`)

await runCommand(new URL('./help/user.txt', import.meta.url), async () => {
  const work = await parseCommand()
  await withDatabase({ activity: 'npm run user', say }, async (database, config) => work(database, await openFileStore(config)))
})
