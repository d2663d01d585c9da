import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { emailAddressHash, findUnsubscribeKey, type Subscription, unsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { listStoredMails, createNotifier, createMailbox } from '../notifications/notifier.ts'
import { createInbox } from '../notifications/mail-worker.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const inbox = createInbox(() => app.db)

let ada: TestUser
let issue: number
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park', locale: 'es' })
  issue = await app.create.issue({ summary: 'Pothole <b>here</b>' })
  await app.create.follow({ on: issue, by: ada })
})

const tokenOf = async (of: Subscription) => unsubscribeToken(await findUnsubscribeKey(app.db), of)
const createIssueToken = () => tokenOf({ kind: 'issue', user_id: ada.id, issue_id: issue })
const createAllToken = () => tokenOf({ kind: 'all', user_id: ada.id })
/** Sends the one-click request of a mail program: no cookie, no login, no Origin, an empty User-Agent. */
const oneClick = (token: string, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('POST', `/unsubscribe?token=${token}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': '', ...headers },
    body: 'List-Unsubscribe=One-Click',
  })
const press = (token: string, action: string) => createBrowser(app.fastify).post('/unsubscribe', { token, do: action })
const findSettings = async () => {
  const [row] = await queryRows(
    app.db,
    sql`
    SELECT u.issue_mails, EXISTS (SELECT FROM follows f WHERE f.user_id = u.id AND f.issue_id = ${issue}) AS following
    FROM users u WHERE u.id = ${ada.id}`,
  )
  return row
}
const everything = () =>
  queryRows(
    app.db,
    sql`
    SELECT (SELECT json_agg(u) FROM users u) AS users, (SELECT json_agg(f) FROM follows f) AS follows,
      (SELECT json_agg(m) FROM issue_mutes m) AS mutes, (SELECT json_agg(w) FROM suppressed_addresses w) AS unwanted,
      (SELECT count(*) FROM events) AS events`,
  )
async function notify(type: 'comment.added' | 'issue.assigned' = 'comment.added'): Promise<string[]> {
  const comment_id = await app.create.comment({ on: issue })
  const { mailer, addresses } = createMailbox()
  const { writeMails, send } = createNotifier(app.db, mailer)
  const subject_id = type === 'comment.added' ? comment_id : issue
  await writeMails({ type, subject_id, actor_id: null, payload: { comment_id, assignee_id: ada.id } })
  await send()
  return addresses()
}

describe('GET and POST /unsubscribe', () => {
  it('changes nothing on GET and HEAD', async () => {
    const tokens = [await createIssueToken(), await createAllToken()]
    const before = await everything()

    const answers = []
    for (const token of tokens) {
      answers.push(await createBrowser(app.fastify).get(`/unsubscribe?token=${token}`))
      await app.as.anonymous.send('HEAD', `/unsubscribe?token=${token}`)
    }

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await everything()).toEqual(before)
  })

  it('shows an uncached page in the language of the recipient, with a button for the issue and one for all', async () => {
    const { text, visibleText, headers } = await createBrowser(app.fastify).get(`/unsubscribe?token=${await createIssueToken()}`)

    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    expect(text).toContain('<html lang="es">')
    expect(text).not.toContain('<b>here</b>')
    expect(visibleText).toContain('No más correos sobre este reporte')
    expect(visibleText).toContain('No más correos sobre ningún reporte')
    expect(text).not.toContain(ada.email)
    expect(visibleText).not.toContain('Ada Park')
  })

  it.each([
    ['nothing', {}],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://mail.example' }],
    ['a session cookie', { cookie: 'fixpoint_session=someone' }],
  ])('unfollows on a one-click POST with %s, and is idempotent', async (_, headers) => {
    const token = await createIssueToken()

    const first = await oneClick(token, headers)
    const again = await oneClick(token, headers)

    expect([first.status, again.status]).toEqual([200, 200])
    expect(await findSettings()).toEqual({ issue_mails: true, following: false })
    const profile = (await app.as.user(ada).get(`/issues/${issue}?details=true`)).body
    expect(profile).toMatchObject({ current_user_relationship: { following: false } })
    expect(await notify()).toEqual([])
    expect(await queryRows(app.db, sql`SELECT v.type, v.actor_id FROM events v WHERE v.type LIKE 'issue.%followed'`)).toEqual([
      { type: 'issue.unfollowed', actor_id: ada.id },
    ])
  })

  it('accepts the one-click POST as multipart, as RFC 8058 allows', async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'

    const { status } = await app.as.anonymous.send('POST', `/unsubscribe?token=${await createAllToken()}`, {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body,
    })

    expect([status, await findSettings()]).toEqual([200, { issue_mails: false, following: true }])
  })

  it('returns 422 for an unknown button and changes nothing', async () => {
    const { status } = await press(await createIssueToken(), 'bogus')
    expect([status, await findSettings()]).toEqual([422, { issue_mails: true, following: true }])
  })

  it('stops and resumes mails about one issue or about all', async () => {
    const token = await createIssueToken()
    const seen = []
    for (const action of ['stop-issue', 'undo-issue', 'stop-all', 'undo-all']) {
      const { status, visibleText } = await press(token, action)
      seen.push({ status, ...((await findSettings()) as object), offersUndo: visibleText.includes('Deshacer') })
    }

    expect(seen).toEqual([
      { status: 200, issue_mails: true, following: false, offersUndo: true },
      { status: 200, issue_mails: true, following: true, offersUndo: false },
      { status: 200, issue_mails: false, following: true, offersUndo: true },
      { status: 200, issue_mails: true, following: true, offersUndo: false },
    ])
    expect(await notify()).toEqual([ada.email])
  })

  it('mutes the issue for recipients who do not follow it, and undo restores the mails without a follow', async () => {
    await app.db.execute(sql`DELETE FROM follows RETURNING user_id`)
    await app.db.execute(sql`UPDATE issues SET assignee_id = ${ada.id} WHERE id = ${issue} RETURNING id`)
    const token = await createIssueToken()
    const before = await notify('issue.assigned')

    await oneClick(token)
    const muted = await notify('issue.assigned')
    await press(token, 'undo-issue')

    expect([before, muted, await notify('issue.assigned')]).toEqual([[ada.email], [], [ada.email]])
    expect(await findSettings()).toEqual({ issue_mails: true, following: false })
  })

  it('accepts the same token on other instances and after the issue is followed again', async () => {
    const token = await createIssueToken()
    await oneClick(token)
    await app.create.follow({ on: issue, by: ada })
    const notifiedAgain = await notify()
    const other = await appOn(app.db)

    const { status } = await other.anonymous.send('POST', `/unsubscribe?token=${token}`)

    expect([notifiedAgain, status, await findSettings()]).toEqual([[ada.email], 200, { issue_mails: true, following: false }])
  })

  it('returns 404 for a forged or malformed token and changes nothing', async () => {
    const [mine, other] = [await createIssueToken(), await tokenOf({ kind: 'issue', user_id: ada.id + 1, issue_id: issue })]
    const forged = [
      mine.replace(`i.${ada.id}.`, `i.${ada.id + 1}.`),
      mine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      `a.${ada.id}.${mine.split('.').at(-1)}`,
      other,
      '',
      'x'.repeat(5_000),
      '../../etc',
      'i.99999999999.1.aaaaaaaaaaaaaaaa',
    ]
    const before = await everything()

    const statuses = []
    for (const token of forged) {
      const page = await createBrowser(app.fastify).get(`/unsubscribe?token=${encodeURIComponent(token)}`)
      statuses.push(page.status, (await oneClick(encodeURIComponent(token))).status)
      expect(page.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
    }

    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(await everything()).toEqual(before)
  })

  it('returns 404 after the account is deleted', async () => {
    const token = await createAllToken()
    await app.db.execute(sql`DELETE FROM users WHERE id = ${ada.id} RETURNING id`)

    expect((await oneClick(token)).status).toBe(404)
  })
})

describe('unsubscribing an unconfirmed address', () => {
  const claim = () => app.as.user(ada).send('POST', '/api/v2/emails', { body: { email: 'stranger@example.net' } })
  const leaveIn = (mail: { headers?: Readonly<Record<string, string>> } | undefined) =>
    /token=([^>]+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''

  it('stops all mails to an unconfirmed address until undo or confirmation', async () => {
    await claim()
    const [mail] = await inbox.receive()
    const { visibleText } = await createBrowser(app.fastify).get(`/unsubscribe?token=${leaveIn(mail)}`, { 'accept-language': 'fr' })
    await oneClick(leaveIn(mail))
    const ask = async () => {
      const [email] = await queryRows<{ id: number }>(
        app.db,
        sql`SELECT e.id FROM email_addresses e WHERE e.email = 'stranger@example.net'`,
      )
      await app.as.user(ada).send('POST', `/api/v2/emails/${email?.id}/confirmation`)
      return (await inbox.receive()).length
    }

    const whileUnwanted = await ask()
    await press(leaveIn(mail), 'undo-address')
    const after = await ask()

    expect(visibleText).toContain('Ne plus jamais écrire à cette adresse')
    expect(mail?.text).toContain(leaveIn(mail))
    expect([whileUnwanted, after]).toEqual([0, 1])
    expect((await listStoredMails(app.db)).map(({ end, reply }) => `${end}: ${reply}`)).toContain('sent: 250 OK')
  })

  it('stores only a case-insensitive hash of the address', async () => {
    await claim()
    const [mail] = await inbox.receive()
    await oneClick(leaveIn(mail))

    const [stored] = await queryRows<{ address_hash: string; same: boolean }>(
      app.db,
      sql`
      SELECT w.address_hash, w.address_hash = ${emailAddressHash(sql`'STRANGER@example.net'::text`)} AS same FROM suppressed_addresses w`,
    )

    expect(stored).toEqual({ address_hash: expect.stringMatching(/^[\w-]{16}$/) as string, same: true })
  })

  it('stops mails about issues if the address is confirmed by then', async () => {
    await claim()
    const [mail] = await inbox.receive()
    await app.db.execute(sql`UPDATE email_addresses SET confirmed_at = now() WHERE email = 'stranger@example.net' RETURNING id`)

    await oneClick(leaveIn(mail))

    expect(await findSettings()).toMatchObject({ issue_mails: false })
  })
})

describe('issue_mails setting', () => {
  it('is turned off and on on the account page', async () => {
    const secret = newSecret()
    const expires_at = new Date(Date.now() + 3_600_000)
    await app.db.prisma.token.create({
      data: { user_id: ada.id, kind: 'session', token_hash: hashToken(secret), last_used_at: new Date(), expires_at },
    })
    const browser = createBrowser(app.fastify)
    browser.jar.set('fixpoint_session', secret)

    const seen = []
    for (const issue_mails of ['false', 'true']) {
      await browser.post('/account/mails', { issue_mails })
      const { visibleText } = await browser.get('/account/mails')
      seen.push([await findSettings(), visibleText.includes('Turn them on')])
    }

    expect(seen).toEqual([
      [{ issue_mails: false, following: true }, true],
      [{ issue_mails: true, following: true }, false],
    ])
  })

  it('is turned off and on with PUT /profile, and rejects other values', async () => {
    const put = async (issue_mails: unknown) =>
      (await app.as.user(ada).send('PUT', '/api/v2/profile', { body: { issue_mails } })).body
    const off = await put(false)
    const notified = await notify()
    const on = await put('true')

    expect([off, on]).toMatchObject([{ issue_mails: false }, { issue_mails: true }])
    expect([notified, await notify()]).toEqual([[], [ada.email]])
    expect(await put('maybe')).toEqual({ errors: { issue_mails: ['must be true or false'] } })
  })
})
