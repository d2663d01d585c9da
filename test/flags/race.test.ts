import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { engine } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'
import { approve, flag, givenAccount, givenOld, itemsOf } from './given.ts'
import { queryRows } from '../helpers/query-rows.ts'

const it = useApp()
const CROWD = engine === 'server' ? 50 : 12

const written = async () =>
  (
    await queryRows(
      it.db,
      sql`
      SELECT (SELECT count(*) FROM flags) AS flags, (SELECT count(*) FROM events e WHERE e.type IN ('issue.flagged', 'comment.flagged')) AS events`,
    )
  )[0]

describe('many flags at the same time', () => {
  test('of as many people about an issue and a comment put each before the moderators once', async () => {
    const people = await givenOld(it, CROWD)
    const issue = await it.given.issue()
    const comment = await it.given.comment({ on: issue })

    const answers = await Promise.all(
      people.flatMap((person) => [flag(it, person, `/issues/${issue}`), flag(it, person, `/comments/${comment}`)]),
    )

    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect((await itemsOf(it)).map((item) => (item as { subject_type: string }).subject_type).toSorted()).toEqual([
      'comment',
      'issue',
    ])
    expect(await written()).toEqual({ flags: 2 * CROWD, events: 2 * CROWD })
  })

  test('of exactly three people put each of many issues before them, whoever of the three came last', async () => {
    const people = await givenOld(it, 3)
    const issues = await Promise.all(Array.from({ length: CROWD / 2 }, () => it.given.issue()))

    await Promise.all(issues.flatMap((issue) => people.map((person) => flag(it, person, `/issues/${issue}`))))

    const held = (await itemsOf(it)).map((item) => (item as { subject_id: number }).subject_id)
    expect(held.toSorted((a, b) => a - b)).toEqual(issues.toSorted((a, b) => a - b))
  })

  test('of one person are one flag', async () => {
    const ada = await givenAccount(it, 30)
    const issue = await it.given.issue()

    const answers = await Promise.all(Array.from({ length: CROWD }, () => flag(it, ada, `/issues/${issue}`)))

    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect([await written(), await itemsOf(it)]).toEqual([{ flags: 1, events: 1 }, []])
  })

  test('after a moderator let it stand, put it before them once more', async () => {
    const [first, second] = [await givenOld(it, 3), await givenOld(it, CROWD)]
    const issue = await it.given.issue()
    await Promise.all(first.map((person) => flag(it, person, `/issues/${issue}`)))
    await approve(it)

    await Promise.all(second.map((person) => flag(it, person, `/issues/${issue}`)))

    expect(await itemsOf(it)).toMatchObject([{ state: 'approved' }, { state: 'held' }])
  })
})
