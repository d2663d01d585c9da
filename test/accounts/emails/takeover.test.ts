import { expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { useApp } from '../../helpers/use-app.ts'
import { basic } from '../../http/app-on.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'

const app = useApp({ ownApp: true })
const inbox = createInbox(() => app.db)
const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

const PASSWORD = 'correct horse'
const hash = await hashPassword(PASSWORD)
const THIEF = 'thief@evil.example'

it('the owner recovers an account from an attacker with a stolen token and password', async () => {
  const ada = await app.create.user({ name: 'Ada Park', password_hash: hash })
  await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() - interval '1 year' RETURNING id`)
  const thief = app.as.user(ada)
  const mailsTo = async (address: string) => (await inbox.receive()).filter(({ to }) => to === address)

  const { body } = await thief.send('POST', '/api/v2/emails', { body: { email: THIEF } })
  const sent = await inbox.receive()
  const [confirmation, added] = [THIEF, ada.email].map((address) => sent.find(({ to }) => to === address))
  const token = confirmation && readLinkToken(confirmation)
  const withoutPassword = await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password: 'a guess' } })
  const confirmed = await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password: PASSWORD } })
  const removed = await thief.send('DELETE', '/api/v2/emails/1')
  await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email: THIEF } })
  const atTheThief = await mailsTo(THIEF)
  const lockedOut = await app.as.anonymous.get('/profile', basic(ada.email, PASSWORD))

  expect(withoutPassword.status).toBe(422)
  expect([confirmed.status, removed.status, lockedOut.status]).toEqual([200, 204, 401])
  expect(atTheThief.map(({ subject }) => subject)).toEqual(['An e-mail address was removed from your account'])
  expect(atTheThief[0]?.text).not.toContain('/emails/revert')

  const undone = await app.as.anonymous.send('POST', '/emails/revert', {
    headers: FORM,
    body: `token=${added && readLinkToken(added)}`,
  })

  expect(undone.status).toBe(200)
  const { body: emails } = await app.as.anonymous.get('/emails', basic(ada.email, PASSWORD))
  expect(emails).toMatchObject({ emails: [{ id: 1, confirmed: true, email: ada.email }] })
  expect((await thief.get('/profile')).status).toBe(401)
  expect((await thief.send('DELETE', `/api/v2/emails/${(body as { id: number }).id}`)).status).toBe(401)
  await app.as.anonymous.send('POST', '/api/v2/passwords/forgot', { body: { email: THIEF } })
  expect(await mailsTo(THIEF)).toEqual([])
  expect((await app.as.anonymous.send('POST', '/api/v2/emails/confirm', { body: { token, password: PASSWORD } })).status).toBe(422)
})
