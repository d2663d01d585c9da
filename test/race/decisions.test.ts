import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from '../moderation/scenario.ts'
import { sendConcurrently, readCounts, USERS, deadlocks, createUsers, countByStatus } from './concurrent-users.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe('concurrent decisions on one moderation item', () => {
  const app = useApp()
  stopTimers()
  let before: number
  beforeEach(async () => {
    before = await deadlocks(app)
  })
  afterEach(async () => expect(await deadlocks(app), 'deadlocks').toBe(before))

  const findPendingItem = async () => {
    const [item] = await queryRows<{ id: number; subject_id: number }>(
      app.db,
      sql`
      SELECT m.id, m.subject_id FROM moderation_items m WHERE m.state = 'held'`,
    )
    return item ?? { id: 0, subject_id: 0 }
  }

  it('publish a report once, with one event, one follower and the points of one report', async () => {
    const moderators = await createUsers(app, 'moderator')
    await createModerationScenario(app).createPendingReport(await app.create.user())
    const item = await findPendingItem()

    const answers = await sendConcurrently(app, moderators, `/moderation/${item.id}/approve`)

    expect(countByStatus(answers)).toEqual({ '200': 1, '422 base': USERS - 1 })
    expect(await readCounts(app, item.subject_id)).toMatchObject({
      ...{ status: 'Open', follows: 1, points: 10, events: { 'issue.held': 1, 'issue.reported': 1 } },
    })
  })

  it('cross everything that their authors and reporters do at once, without deadlocks', async () => {
    const [moderator] = await createUsers(app, 'moderator', 1)
    const people = await createUsers(app, undefined, 4)
    const issue = await app.create.issue({ ...(people[0] ? { reporter: people[0] } : {}) })
    for (const person of people) await createModerationScenario(app).createPendingComment(person, issue)
    const items = await queryRows<{ id: number }>(app.db, sql`SELECT m.id FROM moderation_items m WHERE m.state = 'held'`)
    const acts = ['vote', 'follow', 'comments', 'close']

    const [done, decided] = await Promise.all([
      Promise.all(
        acts.map((act) => sendConcurrently(app, people, `/issues/${issue}/${act}`, (n) => ({ comment: `Number ${n}, ${act}` }))),
      ),
      Promise.all(items.flatMap(({ id }) => (moderator ? sendConcurrently(app, [moderator], `/moderation/${id}/approve`) : []))),
    ])

    expect(done.slice(0, 3).map(countByStatus)).toEqual([{ '201': 4 }, { '201': 4 }, { '201': 4 }])
    expect(decided.flat().map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await readCounts(app, issue)).toMatchObject({ vote_count: 4, follows: 4, comments: 9, points: 65 })
  })

  it('apply one decision and one transition, even if residents make the transition meanwhile', async () => {
    const moderators = await createUsers(app, 'moderator')
    const residents = await createUsers(app, undefined, 9)
    const issue = await app.create.issue()
    await createModerationScenario(app).createPendingComment(await app.create.user(), issue, { move: 'close' })
    const item = await findPendingItem()

    const [approvals, rejections, moves] = await Promise.all([
      sendConcurrently(app, moderators.slice(0, USERS / 2), `/moderation/${item.id}/approve`),
      sendConcurrently(app, moderators.slice(USERS / 2), `/moderation/${item.id}/reject`),
      sendConcurrently(app, residents, `/issues/${issue}/close`, (n) => ({ comment: `Fixed, says resident ${n}.` })),
    ])

    const won = (answers: typeof moves) => answers.filter(({ status }) => status < 300).length
    const counts = await readCounts(app, issue)
    const history = counts?.['history']
    const [approved, rejected, moved] = [won(approvals), won(rejections), won(moves)]
    expect(countByStatus([...approvals, ...rejections])).toEqual({ '200': 1, '422 base': USERS - 1 })
    expect(countByStatus(moves)).toEqual(
      moved === 0 ? { '422 base': residents.length } : { '201': 1, '422 base': residents.length - 1 },
    )
    expect(counts).toMatchObject({ status: 'Closed', comments: approved + moved, points: 5 * (approved + moved) })
    expect(history).toEqual(['Open to Closed'])
    expect(approved + rejected).toBe(1)
  })
})
