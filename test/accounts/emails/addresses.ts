import { beforeEach, expect } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'
import { queryRows } from '../../helpers/query-rows.ts'

export const OLD = 'ada@home.example'
export const NEW = 'ada@work.example'
export const PASSWORD = 'correct horse'
export const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const HTML = { accept: 'text/html' }
export const hash = await hashPassword(PASSWORD)

/** Creates an account without addresses for each test, and functions that change its addresses. */
export function useAddresses() {
  const app = useApp()
  const inbox = createInbox(() => app.db)
  let ada: TestUser
  beforeEach(async () => {
    ada = await app.create.user({ name: 'Ada Park', password_hash: hash })
    await app.db.execute(sql`DELETE FROM email_addresses WHERE user_id = ${ada.id} RETURNING id`)
  })

  /** Adds an address of Ada that was confirmed some hours ago. */
  const confirmedFor = async (hours: number, email: string): Promise<number> => {
    const [added] = await queryRows<{ id: number }>(
      app.db,
      sql`
      INSERT INTO email_addresses (user_id, email, confirmed_at, created_at)
      VALUES (${ada.id}, ${email}, now() - make_interval(hours => ${hours}::integer), now() - interval '1 year') RETURNING id`,
    )
    return added?.id ?? 0
  }
  const add = async (email: string): Promise<number> => {
    const { status, body } = await app.as.user(ada).send('POST', '/api/v2/emails', { body: { email } })
    expect(status).toBe(201)
    return (body as { id: number }).id
  }
  const remove = async (id: number) => expect((await app.as.user(ada).send('DELETE', `/api/v2/emails/${id}`)).status).toBe(204)
  const confirm = async (email: string) => {
    const mail = (await inbox.receive()).find(({ to, subject }) => to === email && subject === 'Confirm your e-mail address')
    const { status } = await app.as.anonymous.send('POST', '/api/v2/emails/confirm', {
      body: { token: mail && readLinkToken(mail), password: PASSWORD },
    })
    expect(status).toBe(200)
  }
  /** Returns the recipients of new security mails, and whether each has a link that reverts the change. */
  const arrived = async () =>
    (await inbox.receive())
      .filter(({ subject }) => subject !== 'Confirm your e-mail address')
      .map(({ to, text }) => ({ to, mayRevert: text.includes('/emails/revert?token=') }))
      .sort((one, other) => one.to.localeCompare(other.to))
  const linkTo = async (address: string): Promise<string> => {
    const mail = (await inbox.receive()).find(({ to, text }) => to === address && text.includes('/emails/revert?token='))
    return mail ? readLinkToken(mail) : ''
  }
  const open = (token: string) => app.as.anonymous.send('GET', `/emails/revert?token=${token}`, { headers: HTML })
  const revert = (token: string) => app.as.anonymous.send('POST', '/emails/revert', { headers: FORM, body: `token=${token}` })
  const addresses = async () =>
    (
      await queryRows<{ email: string }>(
        app.db,
        sql`
        SELECT e.email || CASE WHEN e.confirmed_at IS NULL THEN ' (unconfirmed)' ELSE '' END AS email FROM email_addresses e
        WHERE e.user_id = ${ada.id} AND e.removed_at IS NULL ORDER BY e.email`,
      )
    ).map(({ email }) => email)
  const pass = (days: number) =>
    queryRows(
      app.db,
      sql`
      UPDATE email_addresses SET removed_at = removed_at - make_interval(days => ${days}), removed_confirmed_at = removed_confirmed_at - make_interval(days => ${days}),
        confirmed_at = confirmed_at - make_interval(days => ${days}) RETURNING id`,
    )
  return { app, inbox, ada: () => ada, confirmedFor, add, remove, confirm, arrived, linkTo, open, revert, addresses, pass }
}
