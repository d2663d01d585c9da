import fc from 'fast-check'

import { type Database, type Executable, sql } from '../../../src/database/database.ts'
import { rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { statuses } from '../../../src/issue-lifecycle/status.ts'
import { engine } from '../../helpers/database.ts'
import { GREEN } from '../../helpers/factories.ts'

type Write = (db: Database) => Promise<unknown>

const around = fc.record({
  lng: fc.double({ min: GREEN.lng - 0.3, max: GREEN.lng + 0.3, noNaN: true }),
  lat: fc.double({ min: GREEN.lat - 0.3, max: GREEN.lat + 0.3, noNaN: true }),
})
const state = fc.constantFrom('passed', 'passed', 'passed', 'held')
const status = fc.constantFrom(...statuses)
const anIssue = sql`(SELECT i.id FROM issues i ORDER BY random() LIMIT 1)`

/** A change of the issues around GREEN, or of the log. */
export const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(around, state, status).map(
    ([{ lng, lat }, moderation, one]): Write =>
      (db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`
        INSERT INTO issues (summary, status, lng, lat, moderation_state) VALUES ('New pothole', ${one}::issue_status, ${lng}, ${lat}, ${moderation}::moderation_state)`)
          await longer(tx)
        }),
  ),
  status.map(
    (one): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET status = ${one}::issue_status WHERE id = ${anIssue}`),
  ),
  fc.constantFrom('A pothole', 'A lamp').map(
    (words): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET summary = ${words} WHERE id = ${anIssue}`),
  ),
  state.map(
    (moderation): Write =>
      (db) =>
        db.execute(sql`UPDATE issues SET moderation_state = ${moderation}::moderation_state WHERE id = ${anIssue}`),
  ),
  around.map(
    ({ lng, lat }): Write =>
      (db) =>
        db.transaction(async (tx) => {
          await tx.execute(sql`UPDATE issues SET lng = ${lng}, lat = ${lat} WHERE id = ${anIssue}`)
          await longer(tx)
        }),
  ),
  fc.constant<Write>((db) =>
    db.execute(sql`UPDATE issues SET vote_count = vote_count + 1, updated_at = clock_timestamp() WHERE id = ${anIssue}`),
  ),
  fc.constant<Write>((db) => db.execute(sql`DELETE FROM issues WHERE id = ${anIssue}`)),
  fc.constant<Write>((db) => rollUpCellChanges(db)),
)

/** Later transactions commit before this one. */
const longer = async (tx: Executable) => {
  if (engine === 'server') await tx.execute(sql`SELECT pg_sleep(random() / 10)`)
}
