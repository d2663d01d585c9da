import Type from 'typebox'

import { sql, type Queryable } from '../../../src/database/database.ts'
import { cities } from '../cities/index.ts'
import { adminLogin, type Login, moderatorLogin, officialLogin, residentLogin } from '../logins.ts'

/** Accounts with the most permissions come first. */
const logins: readonly Login[] = [adminLogin, moderatorLogin, ...cities.map(officialLogin), residentLogin]

const DemoAccount = Type.Object({ email: Type.String() })

/** Returns a warning if demo accounts of a public service still have the passwords of docs/demo.md. */
export async function publicPasswordWarning(
  db: Queryable,
  isRight: (email: string, password: string) => Promise<boolean>,
): Promise<string | undefined> {
  const accounts = await db.query(sql.type(DemoAccount)`
    SELECT lower(e.email) AS email FROM email_addresses e WHERE lower(e.email) = ANY (${logins.map(({ email }) => email)}::text[])`)
  const existing = logins.filter((login) => accounts.some(({ email }) => email === login.email))
  const unchanged = await Promise.all(existing.map(async (login) => ((await isRight(login.email, login.password)) ? [login] : [])))
  const [first, ...others] = unchanged.flat()
  if (!first) return undefined
  return (
    `Warning: this service is public, and anyone can log in to ${first.email} (${first.permissions})` +
    `${others.length > 0 ? ` and ${others.length} other demo account${others.length === 1 ? '' : 's'}` : ''}, because docs/demo.md lists the passwords. ` +
    'For a real service, create a new database with DEMO=off.'
  )
}
