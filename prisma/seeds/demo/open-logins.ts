import Type from 'typebox'

import { sql, type Queryable } from '../../../src/database/database.ts'
import { cities } from '../cities/index.ts'
import { adminLogin, type Login, moderatorLogin, officialLogin, residentLogin } from '../logins.ts'

/** Accounts with the most permissions come first. */
const logins: readonly Login[] = [adminLogin, moderatorLogin, ...cities.map(officialLogin), residentLogin]

const DemoAccount = Type.Object({ email: Type.String() })

/**
 * Returns a warning that accounts have the passwords of docs/demo.md, for a service that others can reach.
 * Undefined if no account has one.
 * @param isRight whether a password is that of the account with the address
 */
export async function warningOfOpenLogins(
  db: Queryable,
  isRight: (email: string, password: string) => Promise<boolean>,
): Promise<string | undefined> {
  const accounts = await db.query(
    DemoAccount,
    sql`
      SELECT lower(e.email) AS email FROM emails e WHERE lower(e.email) = ANY (${logins.map(({ email }) => email)}::text[])`,
  )
  const there = logins.filter((login) => accounts.some(({ email }) => email === login.email))
  const tried = await Promise.all(there.map(async (login) => ((await isRight(login.email, login.password)) ? [login] : [])))
  const [first, ...others] = tried.flat()
  if (!first) return undefined
  return (
    `Warning: others may reach this service, and anybody may log in to ${first.email} (${first.does})` +
    `${others.length > 0 ? ` and into ${others.length} more of the demo` : ''}: the passwords stand in docs/demo.md. ` +
    'For people who are real begin a new database with DEMO=off.'
  )
}
