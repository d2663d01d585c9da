import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { listDeliveryHandlers } from '../../src/outbox/event-types.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { type Factories, createFactories, type TestUser } from '../helpers/factories.ts'
import { listStoredMails, type NotificationInput, createNotifier, createMailbox } from './notifier.ts'
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
  const notifyAnd = async (news: NotificationInput, meanwhile: () => Promise<unknown> = () => Promise.resolve()) => {
    const { mailer, addresses, sent } = createMailbox()
    const { writeMails, send } = createNotifier(db, mailer)
    await writeMails(news)
    await meanwhile()
    await send()
    return { recipients: addresses(), sent }
  }

  it('about a comment goes to all followers and the reporter, but not to its author', async () => {
    const { news } = await comment()

    const { recipients, sent } = await notifyAnd(news)

    expect(recipients).toEqual(emails('reporter', 'follower'))
    const words = Object.fromEntries(sent.map(({ to, html }) => [to, /<html lang="(\w+)">/.exec(html)?.[1]]))
    expect(words).toEqual({ [people.reporter.email]: 'fr', [people.follower.email]: 'es' })
  })

  it.each(['issue.closed', 'issue.reopened', 'issue.acknowledged'] as const)(
    'about %s goes to the same recipients',
    async (type) => {
      const { comment_id } = await comment()

      const { recipients } = await notifyAnd({ type, subject_id: issue, actor_id: people.actor.id, payload: { comment_id } })

      expect(recipients).toEqual(emails('reporter', 'follower'))
    },
  )

  it('about an approved comment does not go to its author', async () => {
    const { news } = await comment(people.follower)

    const { recipients } = await notifyAnd({ ...news, actor_id: people.stranger.id })

    expect(recipients).toEqual(emails('reporter', 'actor'))
  })

  it('about an assignment goes to the assignee, unless the issue was reassigned', async () => {
    const news: NotificationInput = {
      type: 'issue.assigned',
      subject_id: issue,
      actor_id: people.actor.id,
      payload: { assignee_id: people.other.id },
    }

    const { recipients } = await notifyAnd(news)
    const reassigned = await notifyAnd(news, () =>
      queryRows(db, sql`UPDATE issues SET assignee_id = NULL WHERE id = ${issue} RETURNING id`),
    )
    const own = await notifyAnd({ ...news, actor_id: people.other.id })

    expect([recipients, reassigned.recipients, own.recipients]).toEqual([emails('other'), [], []])
  })

  it('names the organisation for which an official acts on the issue', async () => {
    const roads = await create.organization({ name: 'Denver Roads' })
    const official = await create.user({ name: 'Ella Reyes', role: 'VerifiedOfficial', memberOf: [{ organization: roads }] })
    const { news } = await comment(official)

    const { sent } = await notifyAnd(news)

    expect(sent.map(({ text }) => text)).toEqual([
      expect.stringContaining('Ella Reyes (Denver Roads)'),
      expect.stringContaining('Ella Reyes (Denver Roads)'),
      expect.stringContaining('Ella Reyes (Denver Roads)'),
    ])
  })

  it('about a moderation decision goes to the author only', async () => {
    const { comment_id } = await comment(people.follower)
    const decision = { actor_id: people.actor.id, payload: {} }
    // The author of the comment is the actor of the transition.
    const refused = await notifyAnd({
      type: 'comment.transition_refused',
      subject_id: comment_id,
      ...decision,
      actor_id: people.follower.id,
    })
    const second = await comment(people.follower, 'rejected')
    const rejected = await notifyAnd({ type: 'comment.rejected', subject_id: second.comment_id, ...decision })
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${issue} RETURNING id`)
    const report = await notifyAnd({ type: 'issue.rejected', subject_id: issue, ...decision })

    expect([refused.recipients, rejected.recipients, report.recipients]).toEqual([
      emails('follower'),
      emails('follower'),
      emails('reporter'),
    ])
    expect(report.sent[0]?.html).toContain('<html lang="fr">')
  })

  it('goes to the address that was confirmed first, and not to users without a confirmed address', async () => {
    await db.execute(sql`
      INSERT INTO email_addresses (user_id, email, confirmed_at)
      VALUES (${people.reporter.id}, 'second@example.org', now() + interval '1 hour'), (${people.stranger.id}, 'never@example.org', NULL)
      RETURNING id`)
    await db.execute(sql`UPDATE email_addresses SET confirmed_at = NULL WHERE email = ${people.follower.email} RETURNING id`)
    const { news } = await comment()

    const { recipients } = await notifyAnd(news)

    expect(recipients).toEqual(emails('reporter'))
  })

  const changes = {
    'the mails of issues are off': () => sql`UPDATE users SET issue_mails = FALSE WHERE id = ${people.follower.id} RETURNING id`,
    'the user unfollows the issue': () => sql`DELETE FROM follows WHERE user_id = ${people.follower.id} RETURNING user_id`,
    'the address is no longer confirmed': () =>
      sql`UPDATE email_addresses SET confirmed_at = NULL WHERE user_id = ${people.follower.id} RETURNING id`,
    'the issue is hidden': () => sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${issue} RETURNING id`,
    'the comment is rejected': () => sql`UPDATE comments SET moderation_state = 'rejected' RETURNING id`,
    'three days have passed': () => sql`UPDATE events SET created_at = now() - interval '3 days' RETURNING id`,
  }
  it.each([
    ['the mails of issues are off', ['reporter']],
    ['the user unfollows the issue', ['reporter']],
    ['the address is no longer confirmed', ['reporter']],
    ['the issue is hidden', []],
    ['the comment is rejected', []],
    ['three days have passed', []],
  ] as const)('is cancelled if meanwhile %s', async (what, left) => {
    const { news } = await comment()

    const { recipients } = await notifyAnd(news, () => queryRows(db, changes[what]()))

    expect(recipients).toEqual(emails(...left))
    const ends = (await listStoredMails(db)).filter(({ address }) => !recipients.includes(address))
    expect(new Set(ends.map(({ end, reply }) => `${end}: ${reply}`))).toEqual(new Set(['failed: no longer wanted']))
  })

  it('is deleted with its address', async () => {
    const { news } = await comment()

    const { recipients } = await notifyAnd(news, () =>
      queryRows(db, sql`DELETE FROM email_addresses WHERE user_id = ${people.follower.id} RETURNING id`),
    )

    expect(recipients).toEqual(emails('reporter'))
  })

  it('is not sent for archiving, which is automatic', () => {
    expect(listDeliveryHandlers('issue.archived')).toEqual([])
  })

  it('names commenters as the page does, because hiding only the reporter would reveal them', async () => {
    await db.execute(sql`UPDATE issues SET anonymous = TRUE WHERE id = ${issue} RETURNING id`)
    const { news } = await comment(people.reporter)

    const { sent } = await notifyAnd(news)

    expect(sent.map(({ text }) => text.includes('Ada Park'))).toEqual([true, true])
  })
})
