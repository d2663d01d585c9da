import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { listHandlers } from '../../src/outbox/event-types.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { type Factories, createFactories, type TestUser } from '../helpers/factories.ts'
import { deliveries, type NotificationInput, createNotifier, createMailbox } from './notifier.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe('a notification', () => {
  let db: Database
  let create: Factories
  let people: Readonly<Record<'reporter' | 'follower' | 'other' | 'actor' | 'stranger', TestUser>>
  let issue: number
  beforeAll(async () => {
    db = await openTestDatabase()
    create = createFactories(db)
  })
  afterAll(() => db.close())
  beforeEach(async () => {
    await resetDatabase(db)
    const [reporter, follower, other, actor, stranger] = [
      await create.user({ name: 'Ada Park' }),
      await create.user({ name: 'Ben Stone', locale: 'es' }),
      await create.user({ name: 'Carla Diaz', locale: 'fr' }),
      await create.user({ name: 'Dan Actor' }),
      await create.user({ name: 'Eve Stranger' }),
    ]
    people = { reporter, follower, other, actor, stranger }
    issue = await create.issue({ reporter, summary: 'Pothole', locale: 'fr', assignee: other })
    for (const by of [reporter, follower, actor]) await create.follow({ on: issue, by })
  })

  const comment = async (by = people.actor, moderation_state: 'passed' | 'rejected' = 'passed') => {
    const comment_id = await create.comment({ on: issue, by, comment: 'Deeper now.', moderation_state })
    return {
      comment_id,
      news: {
        type: 'comment.added',
        subject_id: comment_id,
        actor_id: by.id,
        payload: { issue_id: issue, comment_id },
      } as NotificationInput,
    }
  }
  const emails = (...names: readonly (keyof typeof people)[]) => names.map((name) => people[name].email).sort()
  const tellAnd = async (news: NotificationInput, meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
    const { mailer, addresses, sent } = createMailbox()
    const { writeDeliveries, send } = createNotifier(db, mailer)
    await writeDeliveries(news)
    await meanwhile()
    await send()
    return { told: addresses(), sent }
  }

  it('about a comment goes to all followers and the reporter, but not to its author', async () => {
    const { news } = await comment()

    const { told, sent } = await tellAnd(news)

    expect(told).toEqual(emails('reporter', 'follower'))
    // The reporter gets the language of the report, others get their own.
    const words = Object.fromEntries(sent.map(({ to, html }) => [to, /<html lang="(\w+)">/.exec(html)?.[1]]))
    expect(words).toEqual({ [people.reporter.email]: 'fr', [people.follower.email]: 'es' })
  })

  it.each(['issue.closed', 'issue.opened', 'issue.acknowledged'] as const)('about %s goes to the same recipients', async (type) => {
    const { comment_id } = await comment()

    const { told } = await tellAnd({ type, subject_id: issue, actor_id: people.actor.id, payload: { comment_id } })

    expect(told).toEqual(emails('reporter', 'follower'))
  })

  it('about an approved comment does not go to its author', async () => {
    const { news } = await comment(people.follower)

    const { told } = await tellAnd({ ...news, actor_id: people.stranger.id })

    expect(told).toEqual(emails('reporter', 'actor'))
  })

  it('about an assignment goes to the assignee, unless the issue was reassigned', async () => {
    const news: NotificationInput = {
      type: 'issue.assigned',
      subject_id: issue,
      actor_id: people.actor.id,
      payload: { assignee_id: people.other.id },
    }

    const { told } = await tellAnd(news)
    const late = await tellAnd(news, () =>
      queryRows(db, sql`UPDATE issues SET assignee_id = NULL WHERE id = ${issue} RETURNING id`),
    )
    const own = await tellAnd({ ...news, actor_id: people.other.id })

    expect([told, late.told, own.told]).toEqual([emails('other'), [], []])
  })

  it('about a moderation decision goes to the author only', async () => {
    const { comment_id } = await comment(people.follower)
    const by = { actor_id: people.actor.id, payload: {} }
    // The author of the comment is the actor of the transition.
    const refused = await tellAnd({ type: 'comment.move_refused', subject_id: comment_id, ...by, actor_id: people.follower.id })
    const second = await comment(people.follower, 'rejected')
    const rejected = await tellAnd({ type: 'comment.rejected', subject_id: second.comment_id, ...by })
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${issue} RETURNING id`)
    const report = await tellAnd({ type: 'issue.rejected', subject_id: issue, ...by })

    expect([refused.told, rejected.told, report.told]).toEqual([emails('follower'), emails('follower'), emails('reporter')])
    expect(report.sent[0]?.html).toContain('<html lang="fr">')
  })

  it('goes to the address that was confirmed first, and not to users without a confirmed address', async () => {
    await db.execute(sql`
      INSERT INTO emails (user_id, email, confirmed_at)
      VALUES (${people.reporter.id}, 'second@example.org', now() + interval '1 hour'), (${people.stranger.id}, 'never@example.org', NULL)
      RETURNING id`)
    await db.execute(sql`UPDATE emails SET confirmed_at = NULL WHERE email = ${people.follower.email} RETURNING id`)
    const { news } = await comment()

    const { told } = await tellAnd(news)

    expect(told).toEqual(emails('reporter'))
  })

  const changes = {
    'the mails of issues are off': () => sql`UPDATE users SET issue_mails = FALSE WHERE id = ${people.follower.id} RETURNING id`,
    'they follow no more': () => sql`DELETE FROM follows WHERE user_id = ${people.follower.id} RETURNING user_id`,
    'the address is no longer confirmed': () =>
      sql`UPDATE emails SET confirmed_at = NULL WHERE user_id = ${people.follower.id} RETURNING id`,
    'the issue is hidden': () => sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${issue} RETURNING id`,
    'the comment is rejected': () => sql`UPDATE comments SET moderation_state = 'rejected' RETURNING id`,
    'three days have passed': () => sql`UPDATE events SET created_at = now() - interval '3 days' RETURNING id`,
  }
  it.each([
    ['the mails of issues are off', ['reporter']],
    ['they follow no more', ['reporter']],
    ['the address is no longer confirmed', ['reporter']],
    ['the issue is hidden', []],
    ['the comment is rejected', []],
    ['three days have passed', []],
  ] as const)('is not sent any more when, before its turn, %s', async (what, left) => {
    const { news } = await comment()

    const { told } = await tellAnd(news, () => queryRows(db, changes[what]()))

    expect(told).toEqual(emails(...left))
    const ends = (await deliveries(db)).filter(({ address }) => !told.includes(address))
    expect(new Set(ends.map(({ end, answer }) => `${end}: ${answer}`))).toEqual(new Set(['failed: no longer wanted']))
  })

  it('is deleted with its address', async () => {
    const { news } = await comment()

    const { told } = await tellAnd(news, () =>
      queryRows(db, sql`DELETE FROM emails WHERE user_id = ${people.follower.id} RETURNING id`),
    )

    expect(told).toEqual(emails('reporter'))
  })

  it('is not sent for archiving, which is automatic', () => {
    expect(listHandlers('issue.archived')).toEqual([])
  })

  it('names commenters as the page does, because hiding only the reporter would reveal them', async () => {
    await db.execute(sql`UPDATE issues SET anonymous = TRUE WHERE id = ${issue} RETURNING id`)
    const { news } = await comment(people.reporter)

    const { sent } = await tellAnd(news)

    expect(sent.map(({ text }) => text.includes('Ada Park'))).toEqual([true, true])
  })
})
