import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'
import { approve, flag, createAccount, createOldAccounts, listItems } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const CROWD = engine === 'server' ? 50 : 12

const written = async () =>
  (
    await queryRows(
      app.db,
      sql`
      SELECT (SELECT count(*) FROM flags) AS flags, (SELECT count(*) FROM events e WHERE e.type IN ('issue.flagged', 'comment.flagged')) AS events`,
    )
  )[0]

describe('concurrent flags', () => {
  it('add one item for the issue and one for the comment, if many users send them', async () => {
    const people = await createOldAccounts(app, CROWD)
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue })

    const answers = await Promise.all(
      people.flatMap((person) => [flag(app, person, `/issues/${issue}`), flag(app, person, `/comments/${comment}`)]),
    )

    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect((await listItems(app)).map((item) => (item as { subject_type: string }).subject_type).toSorted()).toEqual([
      'comment',
      'issue',
    ])
    expect(await written()).toEqual({ flags: 2 * CROWD, events: 2 * CROWD })
  })

  it('add one item for each of many issues, if exactly three users send them', async () => {
    const people = await createOldAccounts(app, 3)
    const issues = await Promise.all(Array.from({ length: CROWD / 2 }, () => app.create.issue()))

    await Promise.all(issues.flatMap((issue) => people.map((person) => flag(app, person, `/issues/${issue}`))))

    const reviewed = (await listItems(app)).map((item) => (item as { subject_id: number }).subject_id)
    expect(reviewed.toSorted((a, b) => a - b)).toEqual(issues.toSorted((a, b) => a - b))
  })

  it('are one flag if one user sends them', async () => {
    const ada = await createAccount(app, 30)
    const issue = await app.create.issue()

    const answers = await Promise.all(Array.from({ length: CROWD }, () => flag(app, ada, `/issues/${issue}`)))

    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect([await written(), await listItems(app)]).toEqual([{ flags: 1, events: 1 }, []])
  })

  it('add one more item after an approval', async () => {
    const [first, second] = [await createOldAccounts(app, 3), await createOldAccounts(app, CROWD)]
    const issue = await app.create.issue()
    await Promise.all(first.map((person) => flag(app, person, `/issues/${issue}`)))
    await approve(app)

    await Promise.all(second.map((person) => flag(app, person, `/issues/${issue}`)))

    expect(await listItems(app)).toMatchObject([{ state: 'approved' }, { state: 'held' }])
  })
})
