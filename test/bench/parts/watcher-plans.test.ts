import { beforeAll, describe, expect, it } from 'vitest'

import type { Database, Sql, Transaction } from '../../../src/database/database.ts'
import { typedQuery } from '../../../src/database/engine.ts'
import { addWatchMailsAndMatches } from '../../../src/watch-areas/match-queries.ts'
import { engine, openTestDatabase } from '../../helpers/database.ts'
import { isLong } from '../../helpers/long.ts'
import { MATCHES } from '../watch-rows.ts'
import { readEvents, fillWatchAreas, match, explain } from './watcher-match.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const AREAS = 20_000
const FILLING_MAX_MS = 120_000

// The embedded engine plans with the same code and would take a minute to fill.
describe.runIf(engine === 'server' && isLong)(`plans of matching one event with ${AREAS} watch areas`, () => {
  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
    await fillWatchAreas(db, AREAS)
    return () => db.close()
  }, FILLING_MAX_MS)

  it('scan no table sequentially', async () => {
    const [event] = await readEvents(db)
    if (!event) throw new Error('The database has no event.')

    const plan = await explain(db, match(event))

    expect((await queryRows(db, match(event))).length).toBe(MATCHES)
    expect(plan).not.toMatch(/Seq Scan/)
  })

  it('scan no watch areas, places, users or e-mail addresses sequentially for notifications', async () => {
    const [, event] = await readEvents(db)
    if (!event) throw new Error('The database has only one event.')
    const statements: Sql[] = []
    const run = (statement: Sql) => (statements.push(statement), queryRows(db, statement))
    const caught = { query: typedQuery(run), execute: run } as unknown as Transaction
    await addWatchMailsAndMatches(caught, event.id)

    const plans = await Promise.all(statements.map((statement) => explain(db, statement)))

    const scans = plans.flatMap((plan) => plan.match(/Seq Scan on \w+/g) ?? [])
    expect(scans.filter((scan) => /watch_areas|places|users|email_addresses/.test(scan))).toEqual([])
  })
})
