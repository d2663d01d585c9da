import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { storyOn } from '../moderation/story.ts'
import { allAtOnce, countsOf, CROWD, deadlocks, givenCrowd, tally } from './crowd.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe('concurrent decisions on one moderation item', () => {
  const app = useApp()
  let before: number
  beforeEach(async () => {
    before = await deadlocks(app)
  })
  afterEach(async () => expect(await deadlocks(app), 'deadlocks').toBe(before))

  const openItem = async () => {
    const [item] = await queryRows<{ id: number; subject_id: number }>(
      app.db,
      sql`
      SELECT m.id, m.subject_id FROM moderation_items m WHERE m.state = 'held'`,
    )
    return item ?? { id: 0, subject_id: 0 }
  }

  it('publish a report once, with one event, one follower and the points of one report', async () => {
    const moderators = await givenCrowd(app, 'moderator')
    await storyOn(app).heldReport(await app.create.user())
    const item = await openItem()

    const answers = await allAtOnce(app, moderators, `/moderation/${item.id}/approve`)

    expect(tally(answers)).toEqual({ '200': 1, '422 base': CROWD - 1 })
    expect(await countsOf(app, item.subject_id)).toMatchObject({
      ...{ status: 'Open', follows: 1, points: 10, events: { 'issue.held': 1, 'issue.reported': 1 } },
    })
  })

  it('apply one decision and one transition, even if residents make the transition meanwhile', async () => {
    const moderators = await givenCrowd(app, 'moderator')
    const residents = await givenCrowd(app, undefined, 9)
    const issue = await app.create.issue()
    await storyOn(app).heldComment(await app.create.user(), issue, { move: 'close' })
    const item = await openItem()

    const [approvals, rejections, moves] = await Promise.all([
      allAtOnce(app, moderators.slice(0, CROWD / 2), `/moderation/${item.id}/approve`),
      allAtOnce(app, moderators.slice(CROWD / 2), `/moderation/${item.id}/reject`),
      allAtOnce(app, residents, `/issues/${issue}/close`, (n) => ({ comment: `Mended, says number ${n}.` })),
    ])

    const won = (answers: typeof moves) => answers.filter(({ status }) => status < 300).length
    const counts = await countsOf(app, issue)
    const history = counts?.['history']
    const [approved, rejected, moved] = [won(approvals), won(rejections), won(moves)]
    expect(tally([...approvals, ...rejections])).toEqual({ '200': 1, '422 base': CROWD - 1 })
    expect(tally(moves)).toEqual(moved === 0 ? { '422 base': residents.length } : { '201': 1, '422 base': residents.length - 1 })
    expect(counts).toMatchObject({ status: 'Closed', comments: approved + moved, points: 5 * (approved + moved) })
    expect(history).toEqual(['Open to Closed'])
    expect(approved + rejected).toBe(1)
  })
})
