import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Database, raw } from '../../src/database/database.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** A trigger as `table.trigger`, a statement that fires it, and a query whose result the trigger changes. */
type Case = readonly [trigger: string, statement: string, query: string]

const revision = 'SELECT i.public_revision FROM issues i'
const changeLog = 'SELECT sum((c.former_status IS DISTINCT FROM c.status)::integer) FROM issue_changes c'
const userRevision = 'SELECT u.revision FROM users u WHERE u.id = 1'
const partsOf = (column: string) => `SELECT sum(ST_XMin(a.shape)) FROM area_parts a WHERE a.${column} IS NOT NULL`
const versionOfPlaces = `SELECT v.version FROM table_versions v WHERE v.name = 'places'`

const cases: readonly Case[] = [
  ['places.places_after_write', `UPDATE places SET name = 'Other'`, versionOfPlaces],
  ['places.places_after_truncate', 'TRUNCATE places CASCADE', versionOfPlaces],
  [
    'users.users_before_update',
    `UPDATE users SET name = 'Other' WHERE id = 1`,
    'SELECT u.summary_revision FROM users u WHERE u.id = 1',
  ],
  [
    'organizations.organizations_after_write',
    'UPDATE organizations SET area = ST_Translate(area, 1, 0)',
    partsOf('organization_id'),
  ],
  ['organization_members.organization_members_after_write', 'DELETE FROM organization_members', userRevision],
  [
    'request_types.request_types_before_write',
    `UPDATE request_types SET title = 'Other'`,
    'SELECT t.changed_at FROM request_types t',
  ],
  [
    'request_type_questions.request_type_questions_after_write',
    `UPDATE request_type_questions SET question = 'Which?'`,
    'SELECT t.changed_at FROM request_types t',
  ],
  ['watch_areas.watch_areas_after_write', 'UPDATE watch_areas SET area = ST_Translate(area, 1, 0)', partsOf('watch_area_id')],
  ['issues.issues_after_update', `UPDATE issues SET summary = 'Other'`, revision],
  ['issues.issues_after_insert_or_delete', 'DELETE FROM issues', changeLog],
  ['issues.issues_after_truncate', 'TRUNCATE issues CASCADE', 'SELECT c.public_changes FROM issue_cells c WHERE c.cell = 0'],
  ['issue_answers.issue_answers_after_change', `UPDATE issue_answers SET answer = 'Other'`, revision],
  ['comments.comments_after_change', `UPDATE comments SET comment = 'Other'`, revision],
  ['votes.votes_after_delete', 'DELETE FROM votes', revision],
  ['media.media_after_change', `UPDATE media SET square_key = 'square'`, revision],
  ['questions.questions_before_write', `UPDATE questions SET question = 'Why?'`, 'SELECT q.changed_at FROM questions q'],
  ['answers.answers_after_write', `UPDATE answers SET moderation_state = 'rejected'`, 'SELECT q.answer_count FROM questions q'],
  ['answer_votes.answer_votes_after_write', 'DELETE FROM answer_votes', 'SELECT a.vote_count FROM answers a'],
]

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
  const create = createFactories(db)
  const organization = await create.organization()
  const ada = await create.user({ memberOf: [{ organization }] })
  const ben = await create.user()
  const cleo = await create.user({ share_location: true })
  const place = await create.place()
  const request_type = await create.requestType({ organization, questions: [{ question: 'Where?', question_type: 'text' }] })
  await create.watchArea({ of: ada })
  const on = await create.issue({ reporter: ada, request_type })
  await create.issue({ reporter: cleo })
  await create.formAnswer({ on, question: 'Where?', answer: 'Here' })
  await create.comment({ on, by: ada })
  await create.vote({ on, by: ada })
  await create.follow({ on, by: ada })
  await db.execute(
    raw(`
    INSERT INTO media (issue_id, full_key, content_type, bytes, width, height) VALUES (${on}, 'key', 'image/png', 1, 1, 1)`),
  )
  const question = await create.question({ place: place.id, by: ada })
  const answer = await create.answer({ on: question, by: ada })
  await create.answerVote({ on: answer, by: ben })
})
afterAll(() => db.close())

class RolledBack extends Error {}

/** Returns the results of a query before and after the statement, which is rolled back. */
async function queryAround([trigger, statement, query]: Case, isDisabled: boolean): Promise<readonly [unknown, unknown]> {
  const [table, name] = trigger.split('.')
  let found: readonly [unknown, unknown] = [undefined, undefined]
  await db
    .bulk(async (session) => {
      if (isDisabled) await session.execute(raw(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`))
      const before = await queryRows(session, raw(query))
      await session.execute(raw(statement))
      found = [before, await queryRows(session, raw(query))]
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return found
}

describe('triggers', () => {
  it('all have a case here, and there are at most eighteen', async () => {
    const rows = await queryRows<{ name: string }>(
      db,
      raw(`SELECT t.tgrelid::regclass || '.' || t.tgname AS name FROM pg_trigger t WHERE NOT t.tgisinternal`),
    )

    expect(rows.map(({ name }) => name).sort()).toEqual(cases.map(([trigger]) => trigger).sort())
    expect(rows.length).toBeLessThanOrEqual(18)
  })

  it.each(cases)('include %s, without which this has no further effect: %s', async (...testCase) => {
    const [before, after] = await queryAround(testCase, false)
    const [beforeWithout, afterWithout] = await queryAround(testCase, true)

    expect(after).not.toEqual(before)
    expect(afterWithout).toEqual(beforeWithout)
  })
})
