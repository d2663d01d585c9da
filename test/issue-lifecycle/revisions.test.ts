import { beforeEach, describe, expect, it } from 'vitest'

import { raw } from '../../src/database/database.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'

describe('the revisions of an issue', () => {
  const app = useApp()
  let ada: TestUser
  let issue: number
  beforeEach(async () => {
    ada = await app.create.user({ memberOf: [{ organization: await app.create.organization({ around: GREEN }) }] })
    issue = await app.create.issue({ at: GREEN })
  })

  const revisions = async () => {
    const [row] = await queryRows<{ public: number; all: number }>(
      app.db,
      raw(`SELECT i.public_revision AS public, i.all_changes_revision AS all FROM issues i WHERE i.id = ${issue}`),
    )
    return row ?? { public: 0, all: 0 }
  }
  const increase = async (change: () => Promise<unknown>) => {
    const before = await revisions()
    await change()
    const after = await revisions()
    return { public: after.public - before.public, all: after.all - before.all }
  }
  const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => async () => {
    const { status } = await app.as.user(ada).send(method, `/api/v2/issues/${issue}/${path}`, {
      ...(body && { body }),
      headers: { 'if-match': '*' },
    })
    expect(status).toBeLessThan(300)
  }

  it.each([
    ['POST', 'vote', undefined],
    ['POST', 'comments', { comment: 'Still there.' }],
    ['POST', 'close', { comment: 'Done.' }],
    ['POST', 'acknowledge', { comment: 'Tomorrow.' }],
  ] as const)('both increase by one with %s %s', async (method, path, body) => {
    expect(await increase(send(method, path, body))).toEqual({ public: 1, all: 1 })
  })

  it('increase for staff alone with a change that only they see', async () => {
    expect(await increase(send('PUT', 'priority', { priority: 3 }))).toEqual({ public: 0, all: 1 })
  })

  it('both increase by one with an assignment and with SQL by hand', async () => {
    const assigned = await increase(send('PUT', 'assignee', { assignee_id: ada.id }))
    const edited = await increase(() => app.db.execute(raw(`UPDATE issues SET summary = 'Other' WHERE id = ${issue}`)))

    expect([assigned, edited]).toEqual([
      { public: 1, all: 1 },
      { public: 1, all: 1 },
    ])
  })

  it('both increase when a vote, a comment or a user with both is deleted by hand', async () => {
    await app.create.vote({ on: issue, by: ada })
    await app.create.comment({ on: issue, by: ada })

    const changes = [
      await increase(() => app.db.execute(raw(`UPDATE comments SET comment = 'Other' WHERE issue_id = ${issue}`))),
      await increase(() => app.db.execute(raw(`DELETE FROM users WHERE id = ${ada.id}`))),
    ]

    expect(changes.map((change) => change.public)).toEqual([1, 2])
  })

  it.each([
    ['a comment that is held', { comment: 'You asshole' }],
    ['a change of private columns', undefined],
  ])('only that of all changes increases with %s', async (_, body) => {
    const hidden = body
      ? send('POST', 'comments', body)
      : () => app.db.execute(raw(`UPDATE issues SET device_id = 'x', anonymous = TRUE WHERE id = ${issue}`))

    expect(await increase(hidden)).toEqual({ public: 0, all: 1 })
  })
})
