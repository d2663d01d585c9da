import { writeFileSync } from 'node:fs'

import { type Database, type Sql, sql } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { watchAreasContaining, addWatchMailsAndMatches } from '../../../src/watch-areas/match-queries.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { Goal } from '../report.ts'
import { EVENTS, MATCHES, insertOtherAreas, EXCESS_FACTOR, insertCitiesAndEvents } from '../watch-rows.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const FEW = EVENTS * MATCHES
const MANY = 100_000
const TIMES_MAX = 5
const suffixes = { few: 'watched_by_few', many: 'watched_by_many' } as const

export const watcherDatabases = (databaseUrl: string): string[] =>
  Object.values(suffixes).map((suffix) => benchDatabaseName(databaseUrl, suffix))

interface Event {
  readonly id: number
  readonly lng: number
  readonly lat: number
}

/** Measures matching one event among 100 and among 100,000 areas, of which 20 contain it: the statement, and the job, which is rolled back. */
export async function measureWatchers(db: PostgresDatabase, databaseUrl: string, say: (line: string) => void): Promise<Goal[]> {
  return withBenchDatabase(db, databaseUrl, suffixes.few, (few) =>
    withBenchDatabase(db, databaseUrl, suffixes.many, async (many) => {
      await fillWatchAreas(few, FEW)
      await fillWatchAreas(many, MANY)
      const events = await readEvents(many)
      const work = {
        'the match': async (own: Database, { lng, lat }: Event) => (await queryRows(own, match({ lng, lat }))).length,
        'match and notifications': async (own: Database, { id }: Event) => addNotifications(own, id),
      }
      say(`\n${'one event, 20 areas match'.padEnd(36)} of ${FEW} ms  of ${MANY} ms    times`)
      const goals: Goal[] = []
      for (const [name, run] of Object.entries(work)) goals.push(await compare(name, { few, many, events, run }, say))
      await savePlan(many, events[0] as Event)
      return goals
    }),
  )
}

/** Migrates an empty database and adds `areas` watch areas, of which 20 contain each event. */
export async function fillWatchAreas(own: PostgresDatabase | Database, areas: number): Promise<void> {
  await migrate(own)
  await own.executeScript(insertCitiesAndEvents)
  const more = areas - FEW
  if (more > 0) {
    await own.executeScript(insertOtherAreas(Math.ceil(more * EXCESS_FACTOR)))
    await own.executeScript('ANALYZE')
    await own.execute(sql`
      WITH inside AS MATERIALIZED (
        SELECT m.id FROM issues i
        CROSS JOIN LATERAL (${watchAreasContaining({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` })}) m WHERE m.id > ${FEW})
      DELETE FROM watch_areas w USING inside n WHERE w.id = n.id RETURNING w.id`)
    await own.execute(sql`
      DELETE FROM watch_areas w
      WHERE w.id > (SELECT max(k.id) FROM (SELECT n.id FROM watch_areas n ORDER BY n.id LIMIT ${areas}) k)
      RETURNING w.id`)
  }
  await own.executeScript('ANALYZE')
}

export const readEvents = (own: Database): Promise<Event[]> =>
  queryRows<Event>(own, sql`SELECT e.id, i.lng, i.lat FROM events e JOIN issues i ON i.id = e.subject_id ORDER BY e.id`)

export function match({ lng, lat }: Omit<Event, 'id'>): Sql {
  const [x, y] = [sql`${lng}::double precision`, sql`${lat}::double precision`]
  return sql`SELECT m.id FROM (${watchAreasContaining({ point: sql`ST_SetSRID(ST_MakePoint(${x}, ${y}), 4326)`, lng: x, lat: y })}) m`
}

class RolledBack extends Error {}

/** Runs the writes about watch areas of `notify`, rolls them back and returns the number of mails and matches. */
async function addNotifications(own: Database, event: number): Promise<number> {
  let written = 0
  await own
    .transaction(async (tx) => {
      const { mails, stored } = await addWatchMailsAndMatches(tx, event)
      written = mails + stored
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return written
}

interface Side {
  readonly few: Database
  readonly many: Database
  readonly events: readonly Event[]
  readonly run: (own: Database, event: Event) => Promise<number>
}

const ROUNDS = 40

/** Alternates the sides, so that other load on the machine affects both. */
async function compare(name: string, { few, many, events, run }: Side, say: (line: string) => void): Promise<Goal> {
  const times = { few: [] as number[], many: [] as number[] }
  const found = { few: 0, many: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    for (const event of events) {
      for (const [side, own] of [
        ['few', few],
        ['many', many],
      ] as const) {
        const begun = performance.now()
        found[side] += await run(own, event)
        if (round > 0) times[side].push(performance.now() - begun)
      }
    }
  }
  const [a, b] = [median(times.few), median(times.many)]
  const ratio = b / a
  say(`  ${name}`.padEnd(36) + [a.toFixed(2).padStart(10), b.toFixed(2).padStart(13), ratio.toFixed(2).padStart(9)].join(''))
  // A user with two matching areas gets one mail, so the number of mails differs by chance.
  const isEqual = name !== 'the match' || (found.few === found.many && found.few === ROUNDS * EVENTS * MATCHES)
  return {
    text: `${name} of one event among ${MANY.toLocaleString('en')} areas is ${ratio.toFixed(2)} × that among ${FEW}, ${isEqual ? 'equally many match' : `${found.few} and ${found.many} found`}, goal ≤ ${TIMES_MAX}`,
    reached: isEqual && ratio <= TIMES_MAX,
  }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function savePlan(own: Database, event: Event): Promise<void> {
  writeFileSync(
    new URL('../plans/watcher-match.txt', import.meta.url),
    `${MANY} watch areas\n\n${await explain(own, match(event))}\n`,
  )
}

export async function explain(own: Database, statement: Sql): Promise<string> {
  const lines = await queryRows<{ 'QUERY PLAN': string }>(own, sql`EXPLAIN (ANALYZE, BUFFERS) ${statement}`)
  return lines.map((row) => row['QUERY PLAN']).join('\n')
}
