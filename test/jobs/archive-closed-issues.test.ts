import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { archiveClosedIssues } from '../../jobs/handlers/archive-closed-issues.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { ago, archiveCounts, givenClosedIssues, givenIssue, now, statusOf, type GivenIssue } from './given.ts'
import { silentLog } from './log.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe('archive-closed-issues', () => {
  let db: Database
  let services: Pick<JobServices, 'db' | 'log' | 'clock'>
  beforeAll(async () => {
    db = await openTestDatabase()
    services = { db, log: silentLog, clock: now }
  })
  afterAll(() => db.close())
  beforeEach(() => resetDatabase(db))

  test.each<[string, GivenIssue]>([
    ['closed exactly seven days ago', { closed: ago(7) }],
    ['closed long ago', { closed: ago(400) }],
    ['closed and imported seven days ago', { closed: ago(30), imported: ago(7) }],
    ['imported without the time of its closing', { imported: ago(7) }],
    ['imported long ago and closed seven days ago', { closed: ago(7), imported: ago(90) }],
    ['reopened and closed again seven days ago', { closed: ago(7), reopened: ago(8) }],
  ])('archives an issue %s', async (_, given) => {
    const id = await givenIssue(db, given)

    await archiveClosedIssues({}, services)

    expect(await statusOf(db, id)).toBe('Archived')
  })

  test.each<[string, GivenIssue]>([
    ['closed a second less than seven days ago', { closed: ago(7, -1) }],
    ['closed long ago but imported a second less than seven days ago', { closed: ago(400), imported: ago(7, -1) }],
    ['imported long ago and closed a second less than seven days ago', { closed: ago(7, -1), imported: ago(90) }],
    ['closed long ago, reopened, and closed again yesterday', { closed: ago(1), reopened: ago(2) }],
    ['closed long ago and open again', { status: 'Open', closed: ago(30), reopened: ago(1) }],
    ['acknowledged long ago', { status: 'Acknowledged', closed: ago(30) }],
  ])('leaves alone an issue %s', async (_, given) => {
    const id = await givenIssue(db, given)

    await archiveClosedIssues({}, services)

    expect(await statusOf(db, id)).toBe(given.status ?? 'Closed')
    expect(await archiveCounts(db)).toEqual({ issues: 0, changes: 0, events: 0 })
  })

  test('keeps the times of the issue and raises its revision', async () => {
    const id = await givenIssue(db, { closed: ago(8) })
    const times = () =>
      queryRows(
        db,
        sql`
        SELECT i.created_at, i.updated_at, i.closed_at, i.reopened_at, i.acknowledged_at, i.revision
        FROM issues i WHERE i.id = ${id}`,
      )
    const before = await times()

    await archiveClosedIssues({}, services)

    expect(before).toMatchObject([{ updated_at: '2026-01-02T00:00:00.000Z', revision: 1 }])
    expect(await times()).toEqual([{ ...(before[0] as object), revision: 2 }])
  })

  test('writes the change into the history and tells it as an event, by nobody', async () => {
    const id = await givenIssue(db, { closed: ago(8) })

    await archiveClosedIssues({}, services)

    const history = await queryRows(
      db,
      sql`
      SELECT s.id, s.issue_id, s.actor_id, s.comment_id, s.from_status, s.to_status, s.created_at FROM status_changes s`,
    )
    const by = { actor_id: null, created_at: now().toISOString() }
    expect(history).toEqual([{ id: 1, issue_id: id, comment_id: null, from_status: 'Closed', to_status: 'Archived', ...by }])
    const events = await queryRows(
      db,
      sql`
      SELECT e.type, e.subject_type, e.subject_id, e.actor_id, e.payload, e.created_at FROM events e`,
    )
    expect(events).toEqual([
      { type: 'issue.archived', subject_type: 'issue', subject_id: id, payload: { status_change_id: 1 }, ...by },
    ])
  })

  test('changes nothing the second time', async () => {
    await givenClosedIssues(db, 3)

    await archiveClosedIssues({}, services)
    await archiveClosedIssues({}, services)

    expect(await archiveCounts(db)).toEqual({ issues: 3, changes: 3, events: 3 })
  })

  test('archives each issue once when four do it at the same time, more than one batch long', async () => {
    await givenClosedIssues(db, 1_200)

    await Promise.all([1, 2, 3, 4].map(() => archiveClosedIssues({}, services)))

    expect(await archiveCounts(db)).toEqual({ issues: 1_200, changes: 1_200, events: 1_200 })
  })

  test('ends after the batch that it is in when the process stops', async () => {
    await givenClosedIssues(db, 1_200)
    const stopping = new AbortController()
    const asked = () => {
      stopping.abort()
      return now()
    }

    await archiveClosedIssues({}, { ...services, clock: asked }, stopping.signal)

    expect(await archiveCounts(db)).toEqual({ issues: 500, changes: 500, events: 500 })
  })

  test('takes the longest closed first', async () => {
    const late = await givenIssue(db, { closed: ago(8) })
    const early = await givenIssue(db, { closed: ago(9) })

    expect(await archiveNextClosedIssues(db, now(), 1)).toBe(1)

    expect([await statusOf(db, early), await statusOf(db, late)]).toEqual(['Archived', 'Closed'])
  })

  test('undoes the whole batch when one part of it fails', async () => {
    const id = await givenIssue(db, { closed: ago(8) })
    await db.execute(sql`ALTER TABLE events ADD CONSTRAINT no_events CHECK (false)`)

    await expect(archiveClosedIssues({}, services)).rejects.toThrow('no_events')

    await db.execute(sql`ALTER TABLE events DROP CONSTRAINT no_events`)
    expect(await statusOf(db, id)).toBe('Closed')
    expect(await archiveCounts(db)).toEqual({ issues: 0, changes: 0, events: 0 })
  })
})
