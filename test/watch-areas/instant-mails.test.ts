import { beforeEach, describe, expect, it } from 'vitest'

import { deliveryHandlersByEventType, type EventType } from '../../src/outbox/event-types.ts'
import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { isWatched, watchedEvents, createWatchScenario } from './watch-scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { watch, emitEvent, reported, commented, moved, mail, runHandlers, worker, sent } = createWatchScenario(
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

describe('a watcher of an area', () => {
  it.each([
    ['all', ['reported', 'commented', 'closed']],
    ['new', ['reported']],
    ['updates', ['commented', 'closed']],
  ] as const)('is notified of the events that the area is about: %s', async (about, expected) => {
    await watch({ user: ada, about })
    const { issue } = await reported({ summary: 'Pothole' })
    const first = await mail()
    await commented(issue, ben)
    const second = await mail()
    await moved('issue.closed', issue, ben)
    const third = await mail()

    const all = { reported: first, commented: second, closed: third }
    expect(Object.entries(all).flatMap(([what, addresses]) => (addresses.includes(ada.email) ? what : []))).toEqual(expected)
  })

  it('is notified of five kinds of events only', () => {
    expect((Object.keys(deliveryHandlersByEventType) as EventType[]).filter(isWatched).toSorted()).toEqual(
      [...watchedEvents].toSorted(),
    )
  })

  it('gets no immediate mail with frequency daily, weekly or never; the first two store the event', async () => {
    const daily = await watch({ user: ada, frequency: 'daily' })
    const weekly = await watch({ user: ada, frequency: 'weekly' })
    await watch({ user: ada, frequency: 'never' })
    const { event } = await reported()

    expect(await mail()).toEqual([])
    expect(await matches()).toEqual([
      { watch_area_id: daily, event_id: event, digest_id: null },
      { watch_area_id: weekly, event_id: event, digest_id: null },
    ])
  })

  it('is notified of events inside of the area only', async () => {
    await watch({ user: ada, area: square(FAR_AWAY) })
    await watch({ user: ben })
    await reported({ at: GREEN })

    expect(await mail()).toEqual([ben.email])
  })

  it('gets one mail per event, also if several of their areas contain it', async () => {
    const first = await watch({ user: ada, name: 'First' })
    await watch({ user: ada, name: 'Second' })
    await watch({ user: ada, name: 'About updates', about: 'updates' })
    await reported()

    expect(await mail()).toEqual([ada.email])
    expect(sent[0]?.headers?.['List-Id']).toBe(`Fixpoint watch area ${first} <watch-${first}.fixpoint.test>`)
  })

  it('is not notified of their own actions, anonymous reports included', async () => {
    await watch({ user: ada })
    const { issue } = await reported({ reporter: ada, anonymous: true })
    const ofReport = await mail()
    await commented(issue, ada)
    const ofComment = await mail()
    await moved('issue.closed', issue, ada)

    expect([ofReport, ofComment, await mail()]).toEqual([[], [], []])
  })

  it('gets no mail without a confirmed address, with mails turned off, or about a muted issue', async () => {
    const cara = await app.create.user()
    for (const person of [ada, ben, cara]) await watch({ user: person })
    await app.db.prisma.emailAddress.updateMany({ where: { user_id: ada.id }, data: { confirmed_at: null } })
    await app.db.prisma.user.update({ where: { id: ben.id }, data: { issue_mails: false } })
    const { issue } = await reported()
    await mute(cara.id, issue)

    expect(await mail()).toEqual([])
  })

  it('who follows the issue gets only the mail of followers', async () => {
    await watch({ user: ada })
    const issue = await app.create.issue()
    await app.create.follow({ on: issue, by: ada })
    const { event } = await commented(issue, ben)

    await runHandlers(event, ['notify'])
    await worker().send()

    expect(sent.splice(0).map(({ to, headers }) => [to, headers?.['List-Id']])).toEqual([
      [ada.email, `Fixpoint issue ${issue} <issue-${issue}.fixpoint.test>`],
    ])
  })

  it('is notified once if deliveries run twice and several workers send', async () => {
    await watch({ user: ada })
    const { event } = await reported()

    await Promise.all([runHandlers(event, ['notify']), runHandlers(event, ['notify'])])
    await Promise.all([worker().send(), worker().send()])
    await runHandlers(event, ['notify'])
    await worker().send()

    expect(sent.splice(0).map(({ to }) => to)).toEqual([ada.email])
  })

  it('is not notified of a pending report until it is approved', async () => {
    await watch({ user: ada })
    const { issue, event } = await reported({ moderation_state: 'held' })

    await runHandlers(event, ['notify'])
    const beforeApproval = await mail()
    await app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state: 'passed' } })
    const approved = await emitEvent({ type: 'issue.reported', subject_id: issue, actor_id: null })
    await runHandlers(approved, ['notify'])

    expect([beforeApproval, await mail()]).toEqual([[], [ada.email]])
  })
})

describe('a due mail is cancelled', () => {
  it.each([
    ['the area was deleted', (area: number) => app.db.prisma.watchArea.delete({ where: { id: area } })],
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
      () => app.db.prisma.emailAddress.updateMany({ where: { user_id: ada.id }, data: { confirmed_at: null } }),
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
    const area = await watch({ user: ada })
    const issue = await app.create.issue()
    const { event } = await commented(issue, ben)
    await runHandlers(event, ['notify'])
    const [due] = await queryRows(app.db, sql`SELECT count(*)::integer AS count FROM mails d WHERE d.sent_at IS NULL`)

    await become(area, issue)

    expect(due).toEqual({ count: 1 })
    expect(await mail()).toEqual([])
    expect(await queryRows(app.db, sql`SELECT d.reply FROM mails d`)).toEqual([{ reply: 'no longer wanted' }])
  })
})

describe('a mail of a watch area', () => {
  it('reveals neither the reporter of an anonymous report, private answers nor watchers', async () => {
    await watch({ user: ada })
    const { issue } = await reported({ reporter: ben, anonymous: true, summary: 'Pothole', description: 'Deep.' })
    await app.create.formAnswer({ on: issue, question: 'Your phone?', answer: '555-0100-secret', answer_kept_private: true })
    await mail()

    const [sentMail] = sent
    expect(sentMail?.text).toContain('> Deep.')
    expect(JSON.stringify(sentMail)).not.toContain('Ben')
    expect(JSON.stringify(sentMail)).not.toContain('555-0100')
    expect(sentMail?.to).toBe(ada.email)
  })

  it('names reporters and commenters as the page does', async () => {
    await watch({ user: ada })
    const { issue } = await reported({ reporter: ben })
    await mail()
    const first = sent[0]?.text
    await commented(issue, ben)
    await mail()

    expect(first).toContain('Reported by Ben Stone')
    expect(sent[0]?.text).toContain('Ben Stone wrote a comment')
  })

  it('shows a status change without its hidden comment', async () => {
    await watch({ user: ada })
    const issue = await app.create.issue()
    const comment_id = await app.create.comment({ on: issue, by: ben, comment: 'Hidden words', moderation_state: 'rejected' })
    await app.db.prisma.event.create({
      data: { type: 'issue.closed', subject_type: 'issue', subject_id: issue, actor_id: ben.id, payload: { comment_id } },
    })
    await app.db.execute(
      sql`INSERT INTO outbox_deliveries (event_id, handler) SELECT v.id, 'notify' FROM events v RETURNING event_id`,
    )
    await mail()

    expect(sent[0]?.text).toContain('An anonymous user closed this issue')
    expect(sent[0]?.text).not.toContain('Hidden')
  })

  it('is in the language of the area, with its name, the address and the city', async () => {
    await app.create.place({ name: 'New Haven' })
    await watch({ user: ada, locale: 'es-MX', name: 'El barrio' })
    await reported({ summary: 'Bache', address: '250 Church St' })
    await mail()

    expect(sent[0]?.subject).toMatch(/^Reporte nuevo en El barrio: Bache \(#\d+\)$/)
    expect(sent[0]?.text).toContain('Reporte nuevo en El barrio\n\nBache (#1)\n250 Church St\nNew Haven\nEstado: abierto\n')
    expect(sent[0]?.text).toContain('/account/watch-areas')
  })
})
