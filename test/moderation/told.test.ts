import { expect, test } from 'vitest'

import { doEffect } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { notifierWith, postbox } from '../notifications/news.ts'
import { storyOn } from './story.ts'
import { queryRows } from '../helpers/query-rows.ts'

const it = useApp()
const { moderator, heldReport, heldComment, itemOf, approve, reject } = storyOn(it)

/** Does what the queues do with everything that happened, and gives the mails: to whom, the subject and the text. */
async function mails() {
  const { mailer, sent } = postbox()
  const { services, send } = notifierWith(it.db, mailer)
  const owed = await queryRows<{ event_id: number }>(
    it.db,
    sql`
    SELECT e.event_id FROM outbox_deliveries e WHERE e.handler = 'notify-followers' AND e.delivered_at IS NULL ORDER BY e.event_id`,
  )
  for (const { event_id } of owed) await doEffect({ event_id, handler: 'notify-followers' }, services, new AbortController().signal)
  await send()
  return sent.map(({ to, subject, text }) => ({ to, subject, text: text.replaceAll(/\s+/g, ' ') }))
}

test('whose move came too late is told by mail that the comment stands and the status does not change', async () => {
  const [ben, mia] = [await it.given.user({ name: 'Ben' }), await moderator()]
  const issue = await it.given.issue({ summary: 'Hole' })
  const comment = await heldComment(ben, issue, { move: 'close' })
  await it.as.user(await it.given.user()).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Repaired.' } })

  await approve(mia, await itemOf('comment', comment))

  expect(await mails()).toEqual([
    {
      to: ben.email,
      subject: 'Your comment was published: Hole',
      text: expect.stringContaining('that change was no longer possible') as string,
    },
  ])
})

test('whose text was rejected is told why in the words of the moderator, of a report as of a comment', async () => {
  const [ben, mia] = [await it.given.user({ name: 'Ben' }), await moderator()]
  const comment = await heldComment(ben, await it.given.issue({ summary: 'Hole' }))
  const report = await heldReport(ben)

  await reject(mia, await itemOf('comment', comment), 'Be polite.')
  await reject(mia, await itemOf('issue', report), 'Nobody\r\ncan find <this>.')

  const told = await mails()
  expect(told.map(({ to, subject }) => [to, subject])).toEqual([
    [ben.email, 'Your comment was not published: Hole'],
    [ben.email, 'Not published: Fucking bench'],
  ])
  expect(told[0]?.text).toContain('The moderator says: Be polite.')
  expect(told[1]?.text).toContain('The moderator says: Nobody can find <this>.')
})

test('a status that was changed by a comment which was rejected since is news without its words and without a name', async () => {
  const [ben, mia, fay] = [await it.given.user({ name: 'Ben Stone' }), await moderator(), await it.given.user()]
  const issue = await it.given.issue()
  await it.given.follow({ on: issue, by: fay })
  await it.as.user(ben).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Done with it.' } })
  const [{ id } = { id: 0 }] = await queryRows<{ id: number }>(it.db, sql`SELECT c.id FROM comments c`)
  const flagged = storyOn(it).flagged

  await reject(mia, (await flagged('comment', id)) ?? 0)

  const [news] = (await mails()).filter(({ to }) => to === fay.email)
  expect(news?.text).toContain('closed this issue')
  expect(news?.text).not.toMatch(/Ben Stone|Done with it/)
})

test('what others gave to a report goes with it when it is rejected: their points are what they did for everybody to see', async () => {
  const [ada, ben, eve, mia] = [
    await it.given.user(),
    await it.given.user(),
    await it.given.user({ civic_points: 7 }),
    await moderator(),
  ]
  const sent = await it.as.user(ada).send('POST', '/api/v2/issues', {
    body: { lat: 41.3, lng: -72.9, address: 'Here', request_type_id: 'other', answers: { summary: 'Bench' } },
  })
  const { id: issue } = sent.body as { id: number }
  for (const [who, path, body] of [
    [ben, 'comments', { comment: 'Mine too.' }],
    [ben, 'vote', undefined],
    [eve, 'close', { comment: 'Done.' }],
  ] as const) {
    await it.as.user(who).send('POST', `/api/v2/issues/${issue}/${path}`, body ? { body } : {})
  }
  await it.given.vote({ on: issue, by: eve })
  const points = async () =>
    (await it.db.prisma.user.findMany({ where: { id: { in: [ada.id, ben.id, eve.id] } }, orderBy: { id: 'asc' } })).map(
      (user) => user.civic_points,
    )
  expect(await points()).toEqual([10, 10, 12])

  await reject(mia, (await storyOn(it).flagged('issue', issue)) ?? 0)

  // The vote that was only planted gave none.
  expect(await points()).toEqual([0, 0, 7])
})
