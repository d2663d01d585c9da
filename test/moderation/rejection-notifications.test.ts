import { expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { createNotifier, createMailbox } from '../notifications/notifier.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingReport, createPendingComment, findOpenItem, approve, reject } = createModerationScenario(app)

async function mails() {
  const { mailer, sent } = createMailbox()
  const { services, send } = createNotifier(app.db, mailer)
  const pending = await queryRows<{ event_id: number }>(
    app.db,
    sql`
    SELECT e.event_id FROM outbox_deliveries e WHERE e.handler = 'notify' AND e.delivered_at IS NULL ORDER BY e.event_id`,
  )
  for (const { event_id } of pending) await deliver({ event_id, handler: 'notify' }, services, new AbortController().signal)
  await send()
  return sent.map(({ to, subject, text }) => ({ to, subject, text: text.replaceAll(/\s+/g, ' ') }))
}

it('a refused transition sends a mail that the comment is public and the status unchanged', async () => {
  const [ben, mia] = [await app.create.user({ name: 'Ben' }), await moderator()]
  const issue = await app.create.issue({ summary: 'Hole' })
  const comment = await createPendingComment(ben, issue, { move: 'close' })
  await app.as.user(await app.create.user()).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Repaired.' } })

  await approve(mia, await findOpenItem('comment', comment))

  expect(await mails()).toEqual([
    {
      to: ben.email,
      subject: 'Comment published, status unchanged: Hole (#1)',
      text: expect.stringContaining('that change was no longer possible') as string,
    },
  ])
})

it('a rejection sends the author a mail with the moderator’s reason, for reports and comments', async () => {
  const [ben, mia] = [await app.create.user({ name: 'Ben' }), await moderator()]
  const comment = await createPendingComment(ben, await app.create.issue({ summary: 'Hole' }))
  const report = await createPendingReport(ben)

  await reject(mia, await findOpenItem('comment', comment), 'Be polite.')
  await reject(mia, await findOpenItem('issue', report), 'Users\r\ncannot find <this>.')

  const sent = await mails()
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
    [ben.email, 'Your comment was not published: Hole (#1)'],
    [ben.email, 'Your report was not published: Fucking bench (#2)'],
  ])
  expect(sent[0]?.text).toContain('The moderator says: Be polite.')
  expect(sent[1]?.text).toContain('The moderator says: Users cannot find <this>.')
})

it('a status change whose comment was rejected sends a notification without text and name', async () => {
  const [ben, mia, fay] = [await app.create.user({ name: 'Ben Stone' }), await moderator(), await app.create.user()]
  const issue = await app.create.issue()
  await app.create.follow({ on: issue, by: fay })
  await app.as.user(ben).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Done with it.' } })
  const [{ id } = { id: 0 }] = await queryRows<{ id: number }>(app.db, sql`SELECT c.id FROM comments c`)
  const flagged = createModerationScenario(app).flagged

  await reject(mia, (await flagged('comment', id)) ?? 0)

  const [news] = (await mails()).filter(({ to }) => to === fay.email)
  expect(news?.text).toContain('closed this issue')
  expect(news?.text).not.toMatch(/Ben Stone|Done with it/)
})

it('rejecting a report reverses the points that other users got for it', async () => {
  const [ada, ben, eve, mia] = [
    await app.create.user(),
    await app.create.user(),
    await app.create.user({ civic_points: 7 }),
    await moderator(),
  ]
  const sent = await app.as.user(ada).send('POST', '/api/v2/issues', {
    body: { lat: 41.3, lng: -72.9, address: 'Here', request_type_id: 'other', answers: { summary: 'Bench' } },
  })
  const { id: issue } = sent.body as { id: number }
  for (const [who, path, body] of [
    [ben, 'comments', { comment: 'Mine too.' }],
    [ben, 'vote', undefined],
    [eve, 'close', { comment: 'Done.' }],
  ] as const) {
    await app.as.user(who).send('POST', `/api/v2/issues/${issue}/${path}`, body ? { body } : {})
  }
  await app.create.vote({ on: issue, by: eve })
  const points = async () =>
    (await app.db.prisma.user.findMany({ where: { id: { in: [ada.id, ben.id, eve.id] } }, orderBy: { id: 'asc' } })).map(
      (user) => user.civic_points,
    )
  expect(await points()).toEqual([10, 10, 12])

  await reject(mia, (await createModerationScenario(app).flagged('issue', issue)) ?? 0)

  // The vote from the factory gave no points.
  expect(await points()).toEqual([0, 0, 7])
})
