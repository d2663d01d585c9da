import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { type Database, type Sql, sql } from '../../src/database/database.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'

const HERE = { lng: -104.99, lat: 39.74 }
const NEAR = `/places?lat=${HERE.lat}&lng=${HERE.lng}`
const PATHS = [NEAR, `${NEAR}&per_page=2&page=2`, '/places/1', '/places/place-2', '/places/new-1']
const PLACES = 6
/** Seconds that a transaction waits before its end. On the embedded engine all other transactions would wait too. */
const WAITS = engine === 'server' ? [0, 0.02, 0.08] : [0]

describe('ETags of places during concurrent transactions', { timeout: 300_000 }, () => {
  const app = useApp({ keepRows: true })

  it('return 304 exactly for unchanged responses', async () => {
    const { db, create, as } = app
    for (let n = 1; n <= PLACES; n++) await create.place({ url_name: `place-${n}`, around: { ...HERE, lng: HERE.lng + n / 10 } })
    const ask = (path: string, tag?: string) => as.anonymous.get(path, tag === undefined ? {} : { 'if-none-match': tag })

    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 6, maxLength: 12 }), async (script) => {
        const made: { path: string; tag: string | undefined; body: unknown }[] = []
        const note = async (path: string) => {
          const { headers, body } = await ask(path)
          made.push({ path, tag: headers['etag'] as string | undefined, body })
        }
        let isWriting = true
        const reading = PATHS.map(async (path) => {
          do await note(path)
          while (isWriting)
        })
        await Promise.all(script.map((write) => write(db)))
        isWriting = false
        await Promise.all(reading)
        await Promise.all(PATHS.map(note))

        // A missing place has no ETag.
        const full = new Map(await Promise.all(PATHS.map(async (path) => [path, await ask(path)] as const)))
        for (const { path, tag, body } of made.filter((one) => one.tag !== undefined)) {
          const again = await ask(path, tag)
          const now = full.get(path)
          if (again.status === 304) expect(body).toEqual(now?.body)
          else expect(bodyOrStatus(again)).toEqual(now && bodyOrStatus(now))
        }
        for (const { path, tag } of made.slice(-PATHS.length)) {
          if (tag !== undefined) expect((await ask(path, tag)).status).toBe(304)
        }
      }),
      { ...runs(6), endOnFailure: true },
    )
  })
})

type Write = (db: Database) => Promise<unknown>

const bodyOrStatus = ({ status, body }: ApiResponse) => (status === 200 ? body : status)

const place = fc.integer({ min: 1, max: PLACES })
const step = fc.integer({ min: -3, max: 3 }).map((tenths) => tenths / 10)
const columns = sql`(name, url_name, place_type, boundary, center_lng, center_lat, area_m2)`

const statements: fc.Arbitrary<Sql> = fc.oneof(
  fc.tuple(place, fc.nat(3)).map(
    ([id, n]) => sql`
        INSERT INTO places ${columns}
        SELECT 'New', ${`new-${n}`}, 'City', ST_Translate(p.boundary, 0.05, 0), p.center_lng, p.center_lat, p.area_m2 / 2 FROM places p WHERE p.id = ${id}
        ON CONFLICT DO NOTHING`,
  ),
  fc.tuple(place, fc.nat(9)).map(([id, n]) => sql`UPDATE places SET name = ${`Name ${n}`} WHERE id = ${id}`),
  fc.tuple(place, step).map(([id, by]) => sql`UPDATE places SET boundary = ST_Translate(boundary, 0, ${by}) WHERE id = ${id}`),
  fc.tuple(place, fc.nat(2)).map(([id, n]) => sql`UPDATE places SET import_key = ${`file:${id}:${n}`} WHERE id = ${id}`),
  fc.nat(3).map((n) => sql`DELETE FROM places WHERE url_name = ${`new-${n}`}`),
)

/** The transactions wait before they end, so that the order of writes and commits differs. Some roll back. */
const writes: fc.Arbitrary<Write> = fc
  .record({ statement: statements, wait: fc.constantFrom(...WAITS), rollsBack: fc.nat(4).map((n) => n === 0) })
  .map(({ statement, wait, rollsBack }) => async (db) => {
    const ended = db.transaction(async (tx) => {
      await tx.execute(sql`SELECT pg_sleep(${wait})::text AS waited`)
      await tx.execute(statement)
      await tx.execute(sql`SELECT pg_sleep(${wait})::text AS waited`)
      if (rollsBack) throw new Error('rolled back')
    })
    await ended.catch((error: unknown) => {
      if (!rollsBack) throw error
    })
  })
