import { describe, expect, it } from 'vitest'

import { type RecordedDelivery, sql } from '../../src/database/database.ts'
import { recordMailEvent } from '../../src/outbox/queries.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { createDeadLetter, createEvent, OPS_TOKEN, openOpsApp, opsBearer } from './ops-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp({ env: { OPS_TOKEN } })
const ask = (url: string, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('GET', url, { headers: { ...opsBearer, ...headers } })
const retry = (path: string) => app.as.anonymous.send('POST', `/ops/dead-letters/${path}/retry`, { headers: opsBearer })

describe('/ops/dead-letters', () => {
  it('lists dead letters with their last error, newest first, in pages', async () => {
    const ada = await app.create.user()
    const [first, second] = [await createDeadLetter(app.db, ada.id), await createDeadLetter(app.db, ada.id)]
    await createEvent(app.db, ada.id)
    const { body } = await ask('/ops/dead-letters?per_page=1')

    expect(body).toEqual({
      dead_letters: [
        {
          event_id: second,
          handler: 'notify',
          type: 'user.password_changed',
          subject_id: ada.id,
          requeues: 33,
          starts: 34,
          last_error: 'Error: broken',
          happened_at: expect.any(String) as string,
          dead_at: expect.any(String) as string,
        },
      ],
      metadata: {
        pagination: {
          ...{ entries: 2, page: 1, per_page: 1, pages: 2, previous_page: null, previous_page_url: null },
          ...{ next_page: 2, next_page_url: 'http://fixpoint.test/ops/dead-letters?page=2&per_page=1' },
        },
      },
    })
    expect((await ask('/ops/dead-letters?per_page=1&page=2')).body).toMatchObject({ dead_letters: [{ event_id: first }] })
  })

  it('retries a dead letter once, under a new job id and without counted starts', async () => {
    const ada = await app.create.user()
    const id = await createDeadLetter(app.db, ada.id)
    const enqueued: RecordedDelivery[] = []
    const { post } = await openOpsApp(app.db, { enqueueDeliveries: (pending) => void enqueued.push(...pending) })

    const answers = [await post(`/ops/dead-letters/${id}/notify/retry`), await post(`/ops/dead-letters/${id}/notify/retry`)]

    expect(answers).toMatchObject([
      { status: 200, body: { event_id: id, handler: 'notify', requeues: 34 } },
      { status: 404, body: { message: 'The dead letter was not found.' } },
    ])
    expect(enqueued).toEqual([{ event_id: id, handler: 'notify', requeues: 34 }])
    expect(await queryRows(app.db, sql`SELECT e.starts, e.dead_at FROM outbox_deliveries e`)).toEqual([
      { starts: 0, dead_at: null },
    ])
  })

  it.each(['0/notify', '1/no-such-handler', 'x/notify', '1/toString'])('returns 404 for %s', async (path) => {
    expect((await retry(path)).status).toBe(404)
  })
})

describe('/ops/dead-letters in a browser', () => {
  const openAsAdmin = async () => createLoggedInBrowser(app, await app.create.user({ role: 'Admin' }))

  it('says what failed, why, and what to do, and leads to the trace after a retry', async () => {
    const browser = await openAsAdmin()
    const id = await createDeadLetter(app.db, (await app.create.user()).id)

    const { status, text, visibleText, headers } = await browser.get('/ops/dead-letters')
    const [, action = ''] = /<form[^>]* method="post" action="(\/ops\/[^"]*)"/.exec(text) ?? []
    const retried = await browser.post(action)
    const trace = await browser.get(String(retried.headers['location']))

    expect([status, headers['cache-control'], headers['vary']]).toEqual([200, 'private, no-store', 'Accept'])
    expect(visibleText).toContain('notify')
    expect(visibleText).toContain('Error: broken')
    expect(visibleText).toContain('Fix the cause of its error, then retry it')
    expect([retried.status, retried.headers['location']]).toEqual([303, `/ops/trace/${id}`])
    expect(trace.visibleText).toContain('pending')
    expect((await browser.get('/ops/dead-letters')).visibleText).toContain('There are no dead letters.')
    expect((await browser.post(action)).status).toBe(404)
  })

  it('has pages of the size that was asked for', async () => {
    const browser = await openAsAdmin()
    for (let n = 0; n < 3; n++) await createDeadLetter(app.db, (await app.create.user()).id)

    const { text } = await browser.get('/ops/dead-letters?per_page=1&page=2')

    expect(text.match(/<li class="card">/g)).toHaveLength(1)
    expect(text).toContain('href="/ops/dead-letters?page=3&amp;per_page=1"')
  })
})

describe('GET /ops/trace', () => {
  const REQUEST = 'b7a1f0c2d9e84b66'

  async function createMail() {
    const ada = await app.create.user({ name: 'Ada' })
    const event = await createEvent(app.db, ada.id, REQUEST)
    const [mail] = await queryRows<{ message_id: string }>(
      app.db,
      sql`
      INSERT INTO mails (kind, event_id, email_address_id, attempts, sent_at, reply)
      SELECT 'account', ${event}, e.id, 1, now(), '250 OK' FROM email_addresses e WHERE e.user_id = ${ada.id}
      RETURNING mails.message_id`,
    )
    return { ada, event, message_id: mail?.message_id ?? '' }
  }

  it('returns the same chain for an event, a mail and a request id, with masked addresses', async () => {
    const { ada, event, message_id } = await createMail()
    const ids = [String(event), message_id, `<${message_id}@fixpoint.test>`, REQUEST]
    const traces = await Promise.all(ids.map(async (id) => (await ask(`/ops/trace/${encodeURIComponent(id)}`)).body))

    const time = expect.any(String) as string
    const chain = {
      id: event,
      type: 'user.password_changed',
      subject_id: ada.id,
      actor_id: ada.id,
      named: true,
      request_id: REQUEST,
      created_at: time,
      deliveries: [
        {
          handler: 'notify',
          queue: 'notifications',
          status: 'pending',
          requeues: 0,
          starts: 0,
          due_at: time,
          delivered_at: null,
          dead_at: null,
          last_error: null,
          jobs: [],
        },
      ],
      mails: [
        {
          message_id,
          to: 'a…@e….org',
          status: 'sent',
          attempts: 1,
          due_at: time,
          leased_until: null,
          sent_at: time,
          failed_at: null,
          response: '250 OK',
        },
      ],
      mails_count: 1,
    }
    expect(traces).toEqual([
      { kind: 'event', id: String(event), events: [chain] },
      { kind: 'mail', id: message_id, events: [chain] },
      { kind: 'mail', id: message_id, events: [chain] },
      { kind: 'request', id: REQUEST, events: [chain] },
    ])
  })

  it('returns mails to addresses without an account, also by the address until they are sent', async () => {
    const event_id = await app.db.transaction((tx) =>
      recordMailEvent(tx, { type: 'user.erased', subject_id: 999, actor_id: null, payload: {} }),
    )
    const mail = { kind: 'receipt', event_id, locale: 'en' }
    const { message_id } = await app.db.prisma.mail.create({ data: { ...mail, email: 'Gone@example.org' } })
    await app.db.prisma.mail.create({ data: { ...mail, sent_at: new Date() } })
    const listMails = async (id: string | bigint | number) =>
      ((await ask(`/ops/trace/${id}`)).body as { events: { mails: { to: string; status: string }[] }[] }).events.map(({ mails }) =>
        mails.map(({ to, status }) => `${to} ${status}`).toSorted(),
      )

    expect(await Promise.all([event_id, message_id, 'gone@example.org'].map(listMails))).toEqual([
      [['G…@e….org pending', 'null sent']],
      [['G…@e….org pending']],
      [['G…@e….org pending']],
    ])
  })

  it('redirects the search form to a page in HTML', async () => {
    const { event, message_id } = await createMail()
    const found = await ask(`/ops/trace?id=${event}`)
    const page = await ask(String(found.headers['location']), { accept: 'text/html' })

    expect([found.status, found.headers['location']]).toEqual([303, `/ops/trace/${event}`])
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain(`<h1>Trace of event ${event}</h1>`)
    expect(page.text).toContain(`/ops/trace/${message_id}`)
    expect(page.text).not.toContain('@example.org')
  })

  it.each(['2000000000', 'nothing', '0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40', 'aaaaaaaaaaaaaaaa', "1' OR 1=1", '%00'])(
    'returns 404 or 400 for %s',
    async (id) => {
      expect([404, 400]).toContain((await ask(`/ops/trace/${id.startsWith('%') ? id : encodeURIComponent(id)}`)).status)
    },
  )
})
