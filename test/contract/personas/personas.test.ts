import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { resetDatabase } from '../../helpers/database.ts'
import { useApp } from '../../helpers/use-app.ts'
import type { Reference } from '../openapi-responses.ts'
import { listOperations, reachedStatuses, sendAs } from './conventions.ts'
import { openPageAs, pageRows } from './pages.ts'
import { testedElsewhere, rows } from './rows.ts'
import { mapPersonas, createPersonaRows, type Persona, personas, type PersonaRows } from './persona-rows.ts'
import { queryRows } from '../../helpers/query-rows.ts'

/* Each persona calls every operation about accounts or reports, with every documented status. */

const app = useApp({ keepRows: true })

let world: PersonaRows
let firstWrite: unknown

/** Returns the id of the next transaction that writes. */
const nextWrite = async () => (await queryRows(app.db, sql`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id`))[0]?.['id']

// A test that changed nothing leaves its rows to the next one, because creating them takes as long as the test.
beforeEach(async () => {
  if ((await nextWrite()) === firstWrite) return
  await resetDatabase(app.db)
  world = await createPersonaRows(app)
  firstWrite = await nextWrite()
})

const operations = () => listOperations(app.fastify.swagger() as unknown as Reference)

describe('status of each operation for each persona', () => {
  it.each(rows)('$operation: $what', async ({ request, expected, exceptFor = {}, check }) => {
    const statuses: Partial<Record<Persona, number>> = {}
    for (const persona of personas) {
      const answer = await sendAs(world, persona, await request(world, persona))
      statuses[persona] = answer.status
      if (answer.status === (exceptFor[persona] ?? expected)) await check?.(answer, persona, world)
    }

    expect(statuses).toEqual({ ...mapPersonas(() => expected), ...exceptFor })
  })
})

describe('pages for the session of each persona', () => {
  it.each(pageRows)('$what', async (row) => {
    const outcomes: Partial<Record<Persona, string>> = {}
    for (const persona of personas) {
      const { outcome, text } = await openPageAs(world, persona, row)
      outcomes[persona] = outcome
      if (persona === 'anonymous' || !row.shows) continue
      const shown = Object.entries(world.people).filter(([, person]) => text.includes(row.shows?.(person) ?? ''))
      expect(shown.map(([name]) => name)).toEqual([persona])
    }

    expect(outcomes).toEqual({ ...mapPersonas(() => row.expected), ...row.exceptFor })
    if (row.headers) expect(await queryRows(app.db, sql`SELECT u.id FROM users u WHERE u.name = 'Another Name'`)).toEqual([])
  })
})

describe('the rows of this test', () => {
  /** Statuses that one request of a persona cannot cause; test/http tests them. */
  const notOfRows = new Set([304, 408, 414, 429, 500, 503])

  it('cover every operation that no other file tests', () => {
    const all = operations().map(({ operationId }) => operationId)
    const requested = [...new Set(rows.map(({ operation }) => operation))].filter((operation) => operation !== 'getFile')

    expect([...requested, ...Object.keys(testedElsewhere)].sort()).toEqual(all.sort())
  })

  it('reach every documented status', () => {
    const missed = operations()
      .filter(({ operationId }) => !(operationId in testedElsewhere))
      .flatMap((operation) => {
        const reached = reachedStatuses(operation)
        const open = operation.documented.filter((status) => !reached.has(status) && !notOfRows.has(status))
        return open.map((status) => `${operation.operationId} ${status}`)
      })

    expect(missed).toEqual([])
  })
})
