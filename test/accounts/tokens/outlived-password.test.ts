import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { engine } from '../../helpers/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { PUBLIC_URL, useApp } from '../../helpers/use-app.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()

const PASSWORD = 'battery staple'

const ways = {
  'POST /tokens': (email: string) => app.as.anonymous.send('POST', '/api/v2/tokens', { body: { email, password: PASSWORD } }),
  'POST /oauth/token': (email: string) =>
    app.as.anonymous.send('POST', '/api/v2/oauth/token', { body: { grant_type: 'password', username: email, password: PASSWORD } }),
  'POST /login': (email: string) =>
    app.as.anonymous.send('POST', '/login', {
      body: new URLSearchParams({ email, password: PASSWORD }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL },
    }),
} as const

const WAITING_MS = 500

/** Sets another password and calls `ask` before the commit, so that `ask` verifies the previous password. */
async function duringPasswordChange<Answer>(
  userId: number,
  ask: () => Promise<Answer>,
): Promise<{ answer: Answer; password_hash: string }> {
  const password_hash = await hashPassword('another one')
  const [started, requested] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const change = app.db.transaction(async (tx) => {
    await tx.execute(sql`
      UPDATE users u SET password_hash = ${password_hash}, credentials_version = u.credentials_version + 1 WHERE u.id = ${userId}`)
    await tx.execute(sql`DELETE FROM tokens t WHERE t.user_id = ${userId}`)
    started.resolve()
    await requested.promise
  })
  await started.promise
  const answer = ask()
  await pause(WAITING_MS)
  requested.resolve()
  await change
  return { answer: await answer, password_hash }
}

// The embedded engine runs no other statement during a transaction.
describe.runIf(engine === 'server')('a password change during a login with the previous password', () => {
  it.each(Object.entries(ways))('gives no access by %s after the change', async (_name, logIn) => {
    const ada = await app.create.user({ password_hash: await hashPassword(PASSWORD) })

    const { answer } = await duringPasswordChange(ada.id, () => logIn(ada.email))

    expect([400, 401, 422]).toContain(answer.status)
    expect(await queryRows(app.db, sql`SELECT t.kind FROM tokens t WHERE t.user_id = ${ada.id}`)).toEqual([])
  })

  it('refuses a further change with the previous password', async () => {
    const ada = await app.create.user({ password_hash: await hashPassword(PASSWORD) })
    const body = { password: 'a third one', password_confirmation: 'a third one', current_password: PASSWORD }

    const { answer, password_hash } = await duringPasswordChange(ada.id, () =>
      app.as.user(ada).send('PUT', '/api/v2/profile', { body }),
    )

    expect(answer).toMatchObject({ status: 422, body: { errors: { current_password: [expect.any(String)] } } })
    expect(await queryRows(app.db, sql`SELECT u.password_hash FROM users u WHERE u.id = ${ada.id}`)).toEqual([{ password_hash }])
  })
})
