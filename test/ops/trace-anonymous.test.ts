import { expect, it } from 'vitest'

import type { EventType } from '../../src/outbox/event-types.ts'
import { sql } from '../../src/database/database.ts'
import { recordEvent } from '../../src/outbox/queries.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { bearer } from '../http/app-on.ts'
import { OPS_TOKEN, opsBearer } from './given.ts'
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

/** Records an event of the request with a mail to each recipient. */
async function givenEvent(type: EventType, subject_id: number, actor: TestUser, to: readonly TestUser[] = []): Promise<void> {
  await app.db.transaction((tx) => recordEvent(tx, { type, subject_id, actor_id: actor.id, request_id: REQUEST }))
  await app.db.execute(sql`
    INSERT INTO mail_deliveries (event_id, email_id, attempts, sent_at, answer)
    SELECT (SELECT max(v.id) FROM events v), e.id, 1, now(), '250 OK' FROM emails e
    WHERE e.user_id = ANY (${to.map(({ id }) => id)}::integer[]) RETURNING mail_deliveries.event_id`)
}

/** Creates a report of Rita with events of every kind. Its functions read the trace as an Admin or with OPS_TOKEN. */
async function givenReport({ anonymous }: { anonymous: boolean }) {
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
  await givenEvent('issue.reported', issue, rita)
  await givenEvent('medium.added', medium?.id ?? 0, rita)
  await givenEvent('issue.voted', issue, rita)
  await givenEvent('issue.voted', issue, omar)
  await givenEvent('comment.added', comments[0] ?? 0, rita, [omar])
  await givenEvent('comment.added', comments[1] ?? 0, omar, [rita])
  await givenEvent('issue.closed', issue, omar, [rita, omar])
  await givenEvent('issue.rejected', issue, admin, [rita])
  await givenEvent('user.password_changed', rita.id, rita, [rita])

  const ask = (headers: Record<string, string>) => app.as.anonymous.send('GET', `/ops/trace/${REQUEST}`, { headers })
  const told = async (headers: Record<string, string>) => {
    const { events } = (await ask(headers)).body as Traced
    return events.map(({ type, named, actor_id, mails }) => [type, named, actor_id, mails.map(({ to }) => to)])
  }
  return { rita, omar, admin, issue, ask, told }
}

/** Returns the expected trace with all names. */
const all = ({ rita, omar, admin }: { rita: TestUser; omar: TestUser; admin: TestUser }) => [
  ['issue.reported', true, rita.id, []],
  ['medium.added', true, rita.id, []],
  ['issue.voted', true, rita.id, []],
  ['issue.voted', true, omar.id, []],
  ['comment.added', true, rita.id, ['o…@e….org']],
  ['comment.added', true, omar.id, ['r…@e….org']],
  ['issue.closed', true, omar.id, ['r…@e….org', 'o…@e….org']],
  ['issue.rejected', true, admin.id, ['r…@e….org']],
  ['user.password_changed', true, rita.id, ['r…@e….org']],
]

it('GET /ops/trace hides all users of an anonymous report from callers with OPS_TOKEN', async () => {
  const given = await givenReport({ anonymous: true })

  expect(await given.told(opsBearer)).toEqual([
    ['issue.reported', false, null, []],
    ['medium.added', false, null, []],
    ['issue.voted', false, null, []],
    ['issue.voted', false, null, []],
    ['comment.added', false, null, [null]],
    ['comment.added', false, null, [null]],
    ['issue.closed', false, null, [null, null]],
    ['issue.rejected', false, null, [null]],
    ['user.password_changed', true, given.rita.id, ['r…@e….org']],
  ])
})

it('GET /ops/trace hides all users of an anonymous report on its page', async () => {
  const { rita, issue, ask } = await givenReport({ anonymous: true })
  await app.db.execute(sql`DELETE FROM events v WHERE v.subject_type = 'user' RETURNING v.id`)

  const { text } = await ask({ ...opsBearer, accept: 'text/html' })

  expect(text).toContain(`issue.reported of ${issue}`)
  expect(text).toContain('about an anonymous report, without names')
  expect(text).not.toMatch(new RegExp(`by user|user ${rita.id}\\b|…@|by the service`))
})

it('GET /ops/trace shows all users to an Admin, and those of a named report to callers with OPS_TOKEN', async () => {
  const anonymous = await givenReport({ anonymous: true })
  expect(await anonymous.told(bearer(anonymous.admin.token))).toEqual(all(anonymous))

  await app.db.execute(sql`DELETE FROM events v WHERE TRUE RETURNING v.id`)
  const named = await givenReport({ anonymous: false })
  expect(await named.told(opsBearer)).toEqual(all(named))
})

it('GET /ops/trace hides all users of an issue that was deleted', async () => {
  const { issue, told } = await givenReport({ anonymous: false })
  await app.db.execute(sql`DELETE FROM issues i WHERE i.id = ${issue} RETURNING i.id`)

  const events = await told(opsBearer)

  expect(events.filter(([, , actor_id]) => actor_id !== null).map(([type]) => type)).toEqual(['user.password_changed'])
})
