import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { notificationEmailAddressId } from '../../../src/mail/notification-email-address.ts'
import { recordMailResults } from '../../../src/notifications/lease-queries.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'

const PASSWORD = 'correct horse'
const UNKNOWN = '550 5.1.1 no such user'
const app = useApp()
const inbox = createInbox(() => app.db)
const createAda = async () => app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })

/** Records a refused mail to all addresses of a user for each reply. */
async function refuse(person: TestUser, replies: readonly string[]): Promise<void> {
  for (const reply of replies) {
    const mails = await queryRows<{ message_id: string }>(
      app.db,
      sql`
      WITH event AS (
        INSERT INTO events (type, subject_type, subject_id) VALUES ('user.password_changed', 'user', ${person.id}) RETURNING events.id)
      INSERT INTO mails (kind, event_id, email_address_id)
      SELECT 'account', event.id, e.id FROM event, email_addresses e WHERE e.user_id = ${person.id} RETURNING mails.message_id::text`,
    )
    await recordMailResults(
      app.db,
      mails.map(({ message_id }) => ({ message_id, outcome: 'rejected', reply })),
    )
  }
}
const notified = async ({ id }: TestUser) =>
  (
    await queryRows<{ id: number | null }>(
      app.db,
      sql`SELECT ${notificationEmailAddressId} AS id FROM users recipient WHERE recipient.id = ${id}`,
    )
  )[0]?.id
const addressOf = ({ id: user_id }: TestUser) => app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id } })

describe('an address whose mail server refuses two mails for good', () => {
  it('gets no notifications, says so in the account, and gets them again when it is confirmed again', async () => {
    const ada = await createAda()
    const before = await addressOf(ada)
    await refuse(ada, [UNKNOWN])
    const first = await notified(ada)
    await refuse(ada, [UNKNOWN])
    const second = await notified(ada)
    const page = await (await createLoggedInBrowser(app, ada)).get('/account/emails')

    const asked = await app.as.user(ada).send('POST', `/api/v2/emails/${before.id}/confirmation`)
    const [mail] = await inbox.receive()
    const token = readLinkToken(mail ?? { text: '' })
    const confirmed = await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password: PASSWORD } })

    expect([first, second]).toEqual([before.id, null])
    expect(page.text).toContain('its mail server refused two mails: it gets no notifications until you confirm it again')
    expect([asked.status, mail?.to, confirmed.status]).toEqual([202, ada.email, 200])
    expect(await notified(ada)).toBe(before.id)
    expect(await addressOf(ada)).toMatchObject({ hard_refusals: 0, refused_at: null, confirmed_at: before.confirmed_at })
  })

  it.each([
    ['the sender', '550 5.7.1 relaying denied'],
    ['the text', '554 5.6.0 looks like spam'],
    ['a full mailbox', '552 5.2.2 over quota'],
  ])('still gets them if %s was refused', async (_, reply) => {
    const ada = await createAda()

    await refuse(ada, [reply, reply, reply])

    expect(await notified(ada)).toBe((await addressOf(ada)).id)
  })

  it.each(['550 unknown', '551 5.1.6 moved', '553 5.1.3 bad syntax', '550-5.2.1 disabled'])('is refused by %s', async (reply) => {
    const ada = await createAda()

    await refuse(ada, [reply, reply])

    expect(await notified(ada)).toBeNull()
  })
})
