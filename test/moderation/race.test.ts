import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingReport, createPendingComment, findOpenItem, approve, reject, events, points } =
  createModerationScenario(app)

const AT_ONCE = 50

describe('fifty concurrent decisions', () => {
  it('on a report: one succeeds, the others get its result, and the effects happen once', async () => {
    const [ada, mia, max] = [await app.create.user(), await moderator('Mia'), await moderator('Max')]
    const issue = await createPendingReport(ada)
    const item = await findOpenItem('issue', issue)

    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, count) => (count % 2 === 0 ? approve(mia, item) : reject(max, item))),
    )

    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    const state = (won[0]!.body as { state: string }).state
    const base = state === 'approved' ? 'This was already approved by Mia.' : 'This was already rejected by Max.'
    expect(answers.filter(({ status }) => status !== 200)).toMatchObject(Array(AT_ONCE - 1).fill({ status: 422, body: { base } }))
    const approved = state === 'approved'
    expect(await events()).toEqual(['issue.held', approved ? 'issue.reported' : 'issue.rejected'])
    expect(await points(ada)).toBe(approved ? 10 : 0)
    const [left] = await queryRows(
      app.db,
      sql`
      SELECT (SELECT count(*) FROM follows f WHERE f.issue_id = ${issue}) AS follows,
        (SELECT count(*) FROM status_changes s WHERE s.issue_id = ${issue}) AS history`,
    )
    expect(left).toEqual({ follows: approved ? 1 : 0, history: 1 })
  })

  it('on many comments with transitions of one issue, while others close, comment and flag it: each counts exactly once', async () => {
    const [ada, mia, max] = [await app.create.user(), await moderator(), await moderator()]
    const issue = await app.create.issue({ reporter: ada })
    const authors = await Promise.all(Array.from({ length: 8 }, () => app.create.user()))
    const found: number[] = []
    for (const author of authors)
      found.push(await findOpenItem('comment', await createPendingComment(author, issue, { move: 'close' })))
    const act = (path: string, body: object, by = ada) => app.as.user(by).send('POST', `/api/v2/issues/${issue}/${path}`, { body })

    const answers = await Promise.all([
      ...found.flatMap((item) => [approve(mia, item), approve(max, item)]),
      act('close', { comment: 'Done.' }),
      act('comments', { comment: 'Look.' }),
      ...authors.map((author) => act('flag', { message: 'Spam' }, author)),
    ])

    expect(answers.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([])
    expect(answers.slice(0, 16).filter(({ status }) => status === 200)).toHaveLength(8)
    expect(await queryRows(app.db, sql`SELECT s.to_status FROM status_changes s`)).toEqual([{ to_status: 'Closed' }])
    for (const author of authors) expect(await points(author)).toBe(5)
    const happened = await events()
    const comments = happened.filter((type) => type === 'comment.added' || type === 'issue.closed').length
    const [row] = await queryRows(app.db, sql`SELECT count(*) AS count FROM comments c WHERE c.moderation_state = 'passed'`)
    expect(row).toEqual({ count: comments })
    expect(happened.filter((type) => type === 'comment.transition_refused').length).toBeGreaterThanOrEqual(7)
  })
})
