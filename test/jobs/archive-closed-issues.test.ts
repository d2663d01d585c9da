import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { archiveClosedIssues } from '../../jobs/handlers/batch-jobs.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { ago, archiveCounts, createClosedIssues, createIssue, now, findStatus, type IssueInput } from './create-issues.ts'
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

  it.each<[string, IssueInput]>([
    ['closed exactly seven days ago', { closed: ago(7) }],
    ['closed long ago', { closed: ago(400) }],
    ['closed and imported seven days ago', { closed: ago(30), imported: ago(7) }],
    ['imported without the time of its closing', { imported: ago(7) }],
    ['imported long ago and closed seven days ago', { closed: ago(7), imported: ago(90) }],
    ['reopened and closed again seven days ago', { closed: ago(7), reopened: ago(8) }],
  ])('archives an issue %s', async (_, input) => {
    const id = await createIssue(db, input)

    await archiveClosedIssues({}, services)

    expect(await findStatus(db, id)).toBe('Archived')
  })

  it.each<[string, IssueInput]>([
    ['closed a second less than seven days ago', { closed: ago(7, -1) }],
    ['closed long ago but imported a second less than seven days ago', { closed: ago(400), imported: ago(7, -1) }],
    ['imported long ago and closed a second less than seven days ago', { closed: ago(7, -1), imported: ago(90) }],
    ['closed long ago, reopened, and closed again yesterday', { closed: ago(1), reopened: ago(2) }],
    ['closed long ago and open again', { status: 'Open', closed: ago(30), reopened: ago(1) }],
    ['acknowledged long ago', { status: 'Acknowledged', closed: ago(30) }],
  ])('does not archive an issue %s', async (_, input) => {
    const id = await createIssue(db, input)

    await archiveClosedIssues({}, services)

    expect(await findStatus(db, id)).toBe(input.status ?? 'Closed')
    expect(await archiveCounts(db)).toEqual({ issues: 0, changes: 0, events: 0 })
  })

  it('changes no timestamp of the issue and increments its revision', async () => {
    const id = await createIssue(db, { closed: ago(8) })
    const times = () =>
      queryRows(
        db,
        sql`
        SELECT i.created_at, i.updated_at, i.closed_at, i.reopened_at, i.acknowledged_at, i.public_revision
        FROM issues i WHERE i.id = ${id}`,
      )
    const before = await times()

    await archiveClosedIssues({}, services)

    expect(before).toMatchObject([{ updated_at: '2026-01-02T00:00:00.000Z', public_revision: 1 }])
    expect(await times()).toEqual([{ ...(before[0] as object), public_revision: 2 }])
  })

  it('records a status change and an event without an actor', async () => {
    const id = await createIssue(db, { closed: ago(8) })

    await archiveClosedIssues({}, services)

    const history = await queryRows(
      db,
      sql`
      SELECT s.id, s.issue_id, s.actor_id, s.comment_id, s.from_status, s.to_status, s.created_at FROM status_changes s`,
    )
    const automatic = { actor_id: null, created_at: now().toISOString() }
    expect(history).toEqual([{ id: 1, issue_id: id, comment_id: null, from_status: 'Closed', to_status: 'Archived', ...automatic }])
    const events = await queryRows(
      db,
      sql`
      SELECT e.type, e.subject_type, e.subject_id, e.actor_id, e.payload, e.created_at FROM events e`,
    )
    expect(events).toEqual([
      { type: 'issue.archived', subject_type: 'issue', subject_id: id, payload: { status_change_id: 1 }, ...automatic },
    ])
  })

  it('changes nothing in a second run', async () => {
    await createClosedIssues(db, 3)

    await archiveClosedIssues({}, services)
    await archiveClosedIssues({}, services)

    expect(await archiveCounts(db)).toEqual({ issues: 3, changes: 3, events: 3 })
  })

  it('archives each issue once in four concurrent runs of several batches', async () => {
    await createClosedIssues(db, 1_200)

    await Promise.all([1, 2, 3, 4].map(() => archiveClosedIssues({}, services)))

    expect(await archiveCounts(db)).toEqual({ issues: 1_200, changes: 1_200, events: 1_200 })
  })

  it('ends after the current batch when the process stops', async () => {
    await createClosedIssues(db, 1_200)
    const stopping = new AbortController()
    const stoppingClock = () => {
      stopping.abort()
      return now()
    }

    await archiveClosedIssues({}, { ...services, clock: stoppingClock }, stopping.signal)

    expect(await archiveCounts(db)).toEqual({ issues: 500, changes: 500, events: 500 })
  })

  it('archives the issue that was closed first before the others', async () => {
    const closedLater = await createIssue(db, { closed: ago(8) })
    const closedFirst = await createIssue(db, { closed: ago(9) })

    expect(await archiveNextClosedIssues(db, now(), 1)).toBe(1)

    expect([await findStatus(db, closedFirst), await findStatus(db, closedLater)]).toEqual(['Archived', 'Closed'])
  })

  it('rolls back the batch if a statement fails', async () => {
    const id = await createIssue(db, { closed: ago(8) })
    await db.execute(sql`ALTER TABLE events ADD CONSTRAINT no_events CHECK (false)`)

    await expect(archiveClosedIssues({}, services)).rejects.toThrow('no_events')

    await db.execute(sql`ALTER TABLE events DROP CONSTRAINT no_events`)
    expect(await findStatus(db, id)).toBe('Closed')
    expect(await archiveCounts(db)).toEqual({ issues: 0, changes: 0, events: 0 })
  })
})
