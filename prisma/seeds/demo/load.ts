import Type from 'typebox'

import { Count, raw, sql, type BulkSession } from '../../../src/database/database.ts'
import { storedOtherType } from '../../../src/request-types/other.ts'
import { toCopyText } from '../../../src/database/copy-database.ts'
import { placeRows, writePlaces, type Boundaries } from '../boundaries.ts'
import { communityRows, moderationRows } from './community-rows.ts'
import type { City } from '../cities/city.ts'
import { formRows, peopleRows } from './people-rows.ts'
import { issueRows } from './issue-rows.ts'
import { mediaRows } from './media-rows.ts'
import { type IssueRows, type TableRows, type LastIds, tablesWithIds } from './table-rows.ts'
import { staffRows } from './staff-rows.ts'
import { writeTargets } from './targets.ts'
import type { StoredPictures } from '../pictures/store-pictures.ts'
import type { Scenario } from '../scenario.ts'
import { toTranslations } from '../translations.ts'
import { watchAreas } from '../watch-areas.ts'

const BATCH = 10_000

export interface LoadOptions {
  readonly scenario: Scenario
  readonly boundaries: Boundaries
  /** The keys are e-mail addresses. */
  readonly passwordHashes: ReadonlyMap<string, string>
  /** They are drawn by another process while the rows are written. */
  readonly storedPictures: Promise<StoredPictures>
  readonly say: (line: string) => void
}

export async function load(session: BulkSession, options: LoadOptions): Promise<void> {
  const { scenario, boundaries, passwordHashes, storedPictures, say } = options
  const last = await lastIds(session)
  const placeOf = (city: City) => last.places + 1 + placeRows.findIndex(({ urlName }) => urlName === city.urlName)
  const write = async ({ table, columns, rows }: TableRows) => {
    for (let from = 0; from < rows.length; from += BATCH) {
      await session.copy(table, columns, toCopyText(rows.slice(from, from + BATCH)))
    }
  }
  const writeAll = async (tables: readonly TableRows[]) => {
    for (const table of tables) await write(table)
  }

  say(`Demo: places, people and organisations …`)
  await writePlaces(session, boundaries, last.places + 1, new Date(scenario.now))
  const people = peopleRows(scenario, last, placeOf, passwordHashes)
  await writeAll([people.users, people.emailAddresses])
  await writeOrganizations(session, scenario, last, placeOf)
  await writeAll([people.members, ...formRows(scenario, last)])

  say(`Demo: ${scenario.issues.length} issues …`)
  const rows: IssueRows = issueRows(scenario, last)
  // They would update the versions of the new issues and users, which takes longer than all inserts.
  await session.execute(sql`ALTER TABLE follows DISABLE TRIGGER USER`)
  await write(rows.issues)
  say(
    `Demo: ${rows.comments.rows.length} comments, ${rows.votes.rows.length} votes, ${rows.statusChanges.rows.length} changes of status …`,
  )
  await writeAll([rows.comments, rows.statusChanges, rows.votes, rows.follows, rows.answers])
  await writeTargets(session, scenario, last)
  await writeAll(staffRows(scenario, last, rows))
  await write(mediaRows(await storedPictures, rows, last))
  await session.execute(sql`ALTER TABLE follows ENABLE TRIGGER USER`)

  await writeAll(communityRows(scenario, last, placeOf))
  await write(moderationRows(scenario, last, rows))
  await writeWatchAreas(session, scenario, last)
  await advanceSequences(session)
  await writeOtherTypes(session, scenario, last)
}

/** The first organisation of each city takes reports of an unnamed kind. */
async function writeOtherTypes(session: BulkSession, { people, now }: Scenario, last: LastIds): Promise<void> {
  const { title, language, translations, questions } = storedOtherType
  const takers = [...Map.groupBy(people.organizations, ({ city }) => city).values()].flatMap(([first]) => first ?? [])
  await session.execute(sql`
    WITH type AS (
      INSERT INTO request_types (organization_id, title, language, translations, position, is_other, created_at)
      SELECT taker.id, ${title}, ${language}, ${JSON.stringify(translations)}::jsonb, 2000000, true, ${new Date(now).toISOString()}::timestamptz FROM unnest(${takers.map(({ id }) => last.organizations + id)}::integer[]) AS taker (id)
      RETURNING request_types.id)
    INSERT INTO request_type_questions (request_type_id, built_in, question, question_type, response_required, translations, position)
    SELECT type.id, question.primary_key::built_in_question, question.question, question.question_type::question_type,
      question.response_required, question.translations, question.position - 1
    FROM type CROSS JOIN ROWS FROM (jsonb_to_recordset(${JSON.stringify(questions)}::jsonb)
      AS (primary_key text, question text, question_type text, response_required boolean, translations jsonb))
      WITH ORDINALITY AS question (primary_key, question, question_type, response_required, translations, position)`)
}

const LastId = Type.Object({ id: Count })

async function lastIds(session: BulkSession): Promise<LastIds> {
  const last: Partial<Record<string, number>> = {}
  for (const table of tablesWithIds) {
    const [found] = await session.query(sql.type(LastId)`SELECT coalesce(max(t.id), 0) AS id FROM ${raw(table)} t`)
    last[table] = found?.id ?? 0
  }
  return last as LastIds
}

async function writeOrganizations(session: BulkSession, { people, now }: Scenario, last: LastIds, placeOf: (city: City) => number) {
  for (const { id, name, city } of people.organizations) {
    const made = new Date(now).toISOString()
    await session.execute(sql`
      INSERT INTO organizations (id, name, translations, area, created_at, updated_at)
      SELECT ${last.organizations + id}, ${name}, ${toTranslations((translate) => ({ name: translate(name) }))}::jsonb, p.boundary, ${made}::timestamptz, ${made}::timestamptz
      FROM places p WHERE p.id = ${placeOf(city)}`)
  }
}

async function writeWatchAreas(session: BulkSession, { people, now }: Scenario, last: LastIds): Promise<void> {
  const watcher = people.all.find(({ login }) => login?.email === 'resident@example.org')
  if (!watcher) throw new Error('The demo has no user for its watch areas')
  const made = new Date(now).toISOString()
  for (const [index, { token, name, about, area }] of watchAreas.entries()) {
    await session.execute(sql`
      INSERT INTO watch_areas (id, user_id, watcher_token, name, area, frequency, about, created_at, updated_at)
      VALUES (${last.watch_areas + 1 + index}, ${last.users + watcher.id}, ${token}, ${name},
              ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(area)}), 4326), 'never', ${about},
              ${made}::timestamptz, ${made}::timestamptz)`)
  }
}

async function advanceSequences(session: BulkSession): Promise<void> {
  for (const table of tablesWithIds) {
    await session.execute(sql`
      SELECT setval(pg_get_serial_sequence(${table}, 'id'),
                    greatest((SELECT max(t.id) FROM ${raw(table)} t), nextval(pg_get_serial_sequence(${table}, 'id'))))`)
  }
}
