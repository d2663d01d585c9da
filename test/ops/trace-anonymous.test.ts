import { describe, expect, it } from 'vitest'

import type { EventType } from '../../src/outbox/event-types.ts'
import { sql } from '../../src/database/database.ts'
import { recordEvent } from '../../src/outbox/queries.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { bearer } from '../http/app-on.ts'
import { OPS_TOKEN, opsBearer } from './ops-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp({ env: { OPS_TOKEN } })
const REQUEST = 'b7a1f0c2d9e84b66'

interface Traced {
  readonly events: readonly {
    readonly type: string
    readonly named: boolean
    readonly actor_id: number | null
    readonly mails: readonly { readonly to: string | null }[]
  }[]
}

async function createEvent(type: EventType, subject_id: number, actor: TestUser, to: readonly TestUser[] = []): Promise<void> {
  await app.db.transaction((tx) => recordEvent(tx, { type, subject_id, actor_id: actor.id, request_id: REQUEST }))
  await app.db.execute(sql`
    INSERT INTO mails (kind, event_id, email_address_id, attempts, sent_at, reply)
    SELECT 'issue', (SELECT max(v.id) FROM events v), e.id, 1, now(), '250 OK' FROM email_addresses e
    WHERE e.user_id = ANY (${to.map(({ id }) => id)}::integer[]) RETURNING mails.event_id`)
}

/** Creates a report of Rita with events of every kind. Its functions read the trace as an Admin or with OPS_TOKEN. */
async function createReport({ anonymous }: { anonymous: boolean }) {
  const [rita, omar] = [await app.create.user({ name: 'Rita' }), await app.create.user({ name: 'Omar' })]
  const admin = await app.create.user({ name: 'Ada', role: 'Admin' })
  const issue = await app.create.issue({ reporter: rita, anonymous })
  const comments = [await app.create.comment({ on: issue, by: rita }), await app.create.comment({ on: issue, by: omar })]
  const [medium] = await queryRows<{ id: number }>(
    app.db,
    sql`
    INSERT INTO media (issue_id, full_key, content_type, bytes, width, height)
    VALUES (${issue}, 'a.jpg', 'image/jpeg', 1, 1, 1) RETURNING media.id`,
  )
  await createEvent('issue.reported', issue, rita)
  await createEvent('image.added', medium?.id ?? 0, rita)
  await createEvent('issue.voted', issue, rita)
  await createEvent('issue.voted', issue, omar)
  await createEvent('comment.added', comments[0] ?? 0, rita, [omar])
  await createEvent('comment.added', comments[1] ?? 0, omar, [rita])
  await createEvent('issue.closed', issue, omar, [rita, omar])
  await createEvent('issue.rejected', issue, admin, [rita])
  await createEvent('user.password_changed', rita.id, rita, [rita])

  const sendRequest = (headers: Record<string, string>) => app.as.anonymous.send('GET', `/ops/trace/${REQUEST}`, { headers })
  const listTypes = async (key: string, headers: Record<string, string>) => {
    const { status, body } = await app.as.anonymous.send('GET', `/ops/trace/${encodeURIComponent(key)}`, { headers })
    return status === 200 ? (body as Traced).events.map(({ type }) => type) : status
  }
  const readTrace = async (headers: Record<string, string>) => {
    const { events } = (await sendRequest(headers)).body as Traced
    return events.map(({ type, named, actor_id, mails }) => [type, named, actor_id, mails.map(({ to }) => to)])
  }
  return { rita, omar, admin, issue, sendRequest, readTrace, listTypes }
}

const fullTrace = ({ rita, omar, admin }: { rita: TestUser; omar: TestUser; admin: TestUser }) => [
  ['issue.reported', true, rita.id, []],
  ['image.added', true, rita.id, []],
  ['issue.voted', true, rita.id, []],
  ['issue.voted', true, omar.id, []],
  ['comment.added', true, rita.id, ['o…@e….org']],
  ['comment.added', true, omar.id, ['r…@e….org']],
  ['issue.closed', true, omar.id, ['r…@e….org', 'o…@e….org']],
  ['issue.rejected', true, admin.id, ['r…@e….org']],
  ['user.password_changed', true, rita.id, ['r…@e….org']],
]

describe('GET /ops/trace', () => {
  it('hides all users of an anonymous report from callers with OPS_TOKEN', async () => {
    const report = await createReport({ anonymous: true })

    expect(await report.readTrace(opsBearer)).toEqual([
      ['issue.reported', false, null, []],
      ['image.added', false, null, []],
      ['issue.voted', false, null, []],
      ['issue.voted', false, null, []],
      ['comment.added', false, null, [null]],
      ['comment.added', false, null, [null]],
      ['issue.closed', false, null, [null, null]],
      ['issue.rejected', false, null, [null]],
      ['user.password_changed', true, report.rita.id, ['r…@e….org']],
    ])
  })

  it('hides all users of an anonymous report on its page', async () => {
    const { rita, issue, sendRequest } = await createReport({ anonymous: true })
    await app.db.execute(sql`DELETE FROM events v WHERE v.subject_type = 'user' RETURNING v.id`)

    const { text } = await sendRequest({ ...opsBearer, accept: 'text/html' })

    expect(text).toContain(`issue.reported of ${issue}`)
    expect(text).toContain('about an anonymous report, without names')
    expect(text).not.toMatch(new RegExp(`by user|user ${rita.id}\\b|…@|by the service`))
  })

  it('shows all users to an Admin, and those of a named report to callers with OPS_TOKEN', async () => {
    const anonymous = await createReport({ anonymous: true })
    expect(await anonymous.readTrace(bearer(anonymous.admin.token))).toEqual(fullTrace(anonymous))

    await app.db.execute(sql`DELETE FROM events v WHERE TRUE RETURNING v.id`)
    const named = await createReport({ anonymous: false })
    expect(await named.readTrace(opsBearer)).toEqual(fullTrace(named))
  })

  it('hides all users of an issue that was deleted', async () => {
    const { issue, readTrace } = await createReport({ anonymous: false })
    await app.db.execute(sql`DELETE FROM issues i WHERE i.id = ${issue} RETURNING i.id`)

    const events = await readTrace(opsBearer)

    expect(events.filter(([, , actor_id]) => actor_id !== null).map(([type]) => type)).toEqual(['user.password_changed'])
  })
})

describe('GET /ops/trace by issue, user and address', () => {
  it('finds the events of the issue, its comments and pictures, those of the user, and those with a mail to the address', async () => {
    const { rita, omar, admin, issue, listTypes } = await createReport({ anonymous: false })
    const asAdmin = bearer(admin.token)

    expect(await listTypes(`issue:${issue}`, opsBearer)).toEqual([
      ...['issue.reported', 'image.added', 'issue.voted', 'issue.voted', 'comment.added', 'comment.added', 'issue.closed'],
      'issue.rejected',
    ])
    expect(await listTypes(`user:${omar.id}`, opsBearer)).toEqual(['issue.voted', 'comment.added', 'issue.closed'])
    expect(await listTypes(` <${rita.email.toUpperCase()}> `, asAdmin)).toEqual([
      ...['comment.added', 'issue.closed', 'issue.rejected', 'user.password_changed'],
    ])
    expect(await listTypes('user:4711', asAdmin)).toBe(404)
    expect(await listTypes('unknown@example.org', asAdmin)).toBe(404)
  })

  it('finds no event of an anonymous report by its people for callers with OPS_TOKEN', async () => {
    const { rita, omar, admin, issue, listTypes } = await createReport({ anonymous: true })

    expect(await listTypes(`issue:${issue}`, opsBearer)).toHaveLength(8)
    expect(await listTypes(`user:${omar.id}`, opsBearer)).toBe(404)
    expect(await listTypes(`user:${rita.id}`, opsBearer)).toEqual(['user.password_changed'])
    expect(await listTypes(rita.email, opsBearer)).toEqual(['user.password_changed'])
    expect(await listTypes(rita.email, bearer(admin.token))).toHaveLength(4)
  })
})
