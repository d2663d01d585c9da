import { beforeEach, describe, expect, test } from 'vitest'

import { events, type EventType } from '../../src/outbox/event-types.ts'
import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { isWatched, watchedEvents, watchingIn } from './mailing.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { watch, happen, reported, commented, moved, mail, runHandlers, worker, sent } = watchingIn(
  () => app.db,
  () => app.create,
)

let ada: TestUser
let ben: TestUser
beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
  ben = await app.create.user({ name: 'Ben Stone' })
})

const matches = () =>
  queryRows(app.db, sql`SELECT m.watch_area_id, m.event_id, m.digest_id FROM watch_matches m ORDER BY m.event_id, m.watch_area_id`)
const mute = (user_id: number, issue_id: number) =>
  app.db.prisma.issueMute.create({ data: { user_id, issue_id, was_following: false } })
const change = (id: number, data: object) => app.db.prisma.watchArea.update({ where: { id }, data })

describe('who watches a place', () => {
  test.each([
    ['all', ['reported', 'commented', 'closed']],
    ['new', ['reported']],
    ['updates', ['commented', 'closed']],
  ] as const)('is told at once of what the area is about: %s', async (about, told) => {
    await watch({ of: ada, about })
    const { issue } = await reported({ summary: 'Pothole' })
    const first = await mail()
    await commented(issue, ben)
    const second = await mail()
    await moved('issue.closed', issue, ben)
    const third = await mail()

    const all = { reported: first, commented: second, closed: third }
    expect(Object.entries(all).flatMap(([what, addresses]) => (addresses.includes(ada.email) ? what : []))).toEqual(told)
  })

  test('is told of five kinds of events, and of no others', () => {
    expect((Object.keys(events) as EventType[]).filter(isWatched).toSorted()).toEqual([...watchedEvents].toSorted())
  })

  test('gets no mail at once where mails come daily, weekly or never, and the first two keep it for their digest', async () => {
    const daily = await watch({ of: ada, frequency: 'daily' })
    const weekly = await watch({ of: ada, frequency: 'weekly' })
    await watch({ of: ada, frequency: 'never' })
    const { event } = await reported()

    expect(await mail()).toEqual([])
    expect(await matches()).toEqual([
      { watch_area_id: daily, event_id: event, digest_id: null },
      { watch_area_id: weekly, event_id: event, digest_id: null },
    ])
  })

  test('is told of what happens inside of the area only', async () => {
    await watch({ of: ada, area: square(FAR_AWAY) })
    await watch({ of: ben })
    await reported({ at: GREEN })

    expect(await mail()).toEqual([ben.email])
  })

  test('gets one mail of an event, however many areas of theirs it lies in', async () => {
    const first = await watch({ of: ada, name: 'First' })
    await watch({ of: ada, name: 'Second' })
    await watch({ of: ada, name: 'About updates', about: 'updates' })
    await reported()

    expect(await mail()).toEqual([ada.email])
    expect(sent[0]?.headers?.['List-Id']).toBe(`Fixpoint watch area ${first} <watch-${first}.fixpoint.test>`)
  })

  test('is not told what they did themselves, nor the reporter of an anonymous report that it is new', async () => {
    await watch({ of: ada })
    const { issue } = await reported({ reporter: ada, anonymous: true })
    const ofReport = await mail()
    await commented(issue, ada)
    const ofComment = await mail()
    await moved('issue.closed', issue, ada)

    expect([ofReport, ofComment, await mail()]).toEqual([[], [], []])
  })

  test('gets nothing without a confirmed address, with mails turned off, or of an issue that they muted', async () => {
    const cara = await app.create.user()
    for (const person of [ada, ben, cara]) await watch({ of: person })
    await app.db.prisma.email.updateMany({ where: { user_id: ada.id }, data: { confirmed_at: null } })
    await app.db.prisma.user.update({ where: { id: ben.id }, data: { issue_mails: false } })
    const { issue } = await reported()
    await mute(cara.id, issue)

    expect(await mail()).toEqual([])
  })

  test.each([
    { order: ['notify-followers', 'notify-watchers'] as const },
    { order: ['notify-watchers', 'notify-followers'] as const },
  ])('and follows the issue gets the mail of followers alone: $order', async ({ order }) => {
    await watch({ of: ada })
    const issue = await app.create.issue()
    await app.create.follow({ on: issue, by: ada })
    const { event } = await commented(issue, ben)

    await runHandlers(event, order)
    await worker().send()

    expect(sent.splice(0).map(({ to, headers }) => [to, headers?.['List-Id']])).toEqual([
      [ada.email, `Fixpoint issue ${issue} <issue-${issue}.fixpoint.test>`],
    ])
  })

  test.each([
    { order: ['notify-followers', 'notify-watchers'] as const },
    { order: ['notify-watchers', 'notify-followers'] as const },
  ])('and begins to follow between the two effects gets one mail: $order', async ({ order }) => {
    await watch({ of: ada })
    const issue = await app.create.issue()
    const { event } = await commented(issue, ben)

    await runHandlers(event, [order[0]])
    await app.create.follow({ on: issue, by: ada })
    await runHandlers(event, [order[1]])
    await worker().send()

    expect(sent.splice(0).map(({ to }) => to)).toEqual([ada.email])
  })

  test('is told once, however often the effect comes and however many send', async () => {
    await watch({ of: ada })
    const { event } = await reported()

    await Promise.all([runHandlers(event, ['notify-watchers']), runHandlers(event, ['notify-watchers'])])
    await Promise.all([worker().send(), worker().send()])
    await runHandlers(event, ['notify-watchers'])
    await worker().send()

    expect(sent.splice(0).map(({ to }) => to)).toEqual([ada.email])
  })

  test('of a report that is held hears nothing of it until it is approved', async () => {
    await watch({ of: ada })
    const { issue, event } = await reported({ moderation_state: 'held' })

    await runHandlers(event, ['notify-watchers'])
    const held = await mail()
    await app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state: 'passed' } })
    const approved = await happen({ type: 'issue.reported', subject_id: issue, actor_id: null })
    await runHandlers(approved, ['notify-watchers'])

    expect([held, await mail()]).toEqual([[], [ada.email]])
  })
})

describe('a mail that is due is not sent any more', () => {
  test.each([
    ['the area is gone', (area: number) => app.db.prisma.watchArea.delete({ where: { id: area } })],
    ['mails come daily now', (area: number) => change(area, { frequency: 'daily' })],
    ['the area is about something else now', (area: number) => change(area, { about: 'new' })],
    [
      'the area lies elsewhere now',
      (area: number) =>
        queryRows(
          app.db,
          sql`
          UPDATE watch_areas w SET area = ST_Translate(w.area, 20, 0) WHERE w.id = ${area} RETURNING w.id`,
        ),
    ],
    [
      'the issue is hidden',
      (_: number, issue: number) => app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state: 'rejected' } }),
    ],
    [
      'the comment is hidden',
      (_: number, issue: number) =>
        app.db.prisma.comment.updateMany({ where: { issue_id: issue }, data: { moderation_state: 'rejected' } }),
    ],
    ['the issue is muted', (_: number, issue: number) => mute(ada.id, issue)],
    ['mails are turned off', () => app.db.prisma.user.update({ where: { id: ada.id }, data: { issue_mails: false } })],
    [
      'the address is another one',
      () => app.db.prisma.email.updateMany({ where: { user_id: ada.id }, data: { confirmed_at: null } }),
    ],
    [
      'it is three days old',
      () =>
        queryRows(
          app.db,
          sql`UPDATE events v SET created_at = now() - interval '73 hours' WHERE v.type = 'comment.added' RETURNING v.id`,
        ),
    ],
  ])('where %s', async (_, become) => {
    const area = await watch({ of: ada })
    const issue = await app.create.issue()
    const { event } = await commented(issue, ben)
    await runHandlers(event, ['notify-watchers'])
    const [due] = await queryRows(app.db, sql`SELECT count(*)::integer AS count FROM mail_deliveries d WHERE d.sent_at IS NULL`)

    await become(area, issue)

    expect(due).toEqual({ count: 1 })
    expect(await mail()).toEqual([])
    expect(await queryRows(app.db, sql`SELECT d.answer FROM mail_deliveries d`)).toEqual([{ answer: 'no longer wanted' }])
  })
})

describe('a mail of a watch area', () => {
  test('names nobody of an anonymous report, nor what was answered privately, nor who watches', async () => {
    await watch({ of: ada })
    const { issue } = await reported({ reporter: ben, anonymous: true, summary: 'Pothole', description: 'Deep.' })
    await app.create.formAnswer({ on: issue, question: 'Your phone?', answer: '555-0100-secret', answer_kept_private: true })
    await mail()

    const [told] = sent
    expect(told?.text).toContain('> Deep.')
    expect(JSON.stringify(told)).not.toContain('Ben')
    expect(JSON.stringify(told)).not.toContain('555-0100')
    expect(told?.to).toBe(ada.email)
  })

  test('names who reported, and who comments, as the page does', async () => {
    await watch({ of: ada })
    const { issue } = await reported({ reporter: ben })
    await mail()
    const first = sent[0]?.text
    await commented(issue, ben)
    await mail()

    expect(first).toContain('Reported by Ben Stone')
    expect(sent[0]?.text).toContain('Ben Stone wrote a comment')
  })

  test('of a change says it without the comment that was hidden since', async () => {
    await watch({ of: ada })
    const issue = await app.create.issue()
    const comment_id = await app.create.comment({ on: issue, by: ben, comment: 'Hidden words', moderation_state: 'rejected' })
    await app.db.prisma.event.create({
      data: { type: 'issue.closed', subject_type: 'issue', subject_id: issue, actor_id: ben.id, payload: { comment_id } },
    })
    await app.db.execute(
      sql`INSERT INTO outbox_deliveries (event_id, handler) SELECT v.id, 'notify-watchers' FROM events v RETURNING event_id`,
    )
    await mail()

    expect(sent[0]?.text).toContain('An anonymous user closed this issue')
    expect(sent[0]?.text).not.toContain('Hidden')
  })

  test('is in the language of the area and tells its name, the address and the city', async () => {
    await app.create.place({ name: 'New Haven' })
    await watch({ of: ada, locale: 'es-MX', name: 'El barrio' })
    await reported({ summary: 'Bache', address: '250 Church St' })
    await mail()

    expect(sent[0]?.subject).toMatch(/^Bache \(#\d+\)$/)
    expect(sent[0]?.text).toContain('Reporte nuevo en El barrio\n\nBache\n250 Church St\nNew Haven\nEstado: abierto\n')
    expect(sent[0]?.text).toContain('/account/watch-areas')
  })
})
