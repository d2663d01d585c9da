import { setTimeout } from 'node:timers/promises'

import { sql } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import { rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { fill } from '../fill.ts'
import { median } from '../median.ts'
import { withBenchDatabase, benchDatabaseName, benchDatabaseUrl } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import type { WriteSpeed } from '../load/write-load.ts'
import { openWriters, type Writers } from '../load/writer-process.ts'
import { queryRows } from '../../helpers/query-rows.ts'

/* Compares sixteen writers in one city: with the pyramid, with cells but without the pyramid (docs/adr/0005), and without cells. */
const ISSUES = 50_000
const TURNS = 21
const RATIO_MIN = 0.9
/** The interval of the worker (src/queue/job-definitions.ts). */
export const ROLL_UP_EVERY_MS = 2_000
const suffixes = { with: 'pyramid', cells: 'cells_alone', without: 'no_pyramid' } as const

export const writerDatabases = (databaseUrl: string): string[] =>
  Object.values(suffixes).map((suffix) => benchDatabaseName(databaseUrl, suffix))

const withoutPyramid = `
  DROP TRIGGER issues_after_write ON issues;
  DROP INDEX issues_cell_idx;`
const withoutCells = `${withoutPyramid} ALTER TABLE issues DROP COLUMN cell;`

interface Side {
  readonly name: string
  readonly writers: Writers
  readonly rollUp?: () => Promise<number>
  readonly speeds: WriteSpeed[]
}

export async function measureWriters({ db, databaseUrl, connections, say }: Bench): Promise<readonly Goal[]> {
  const { with: rolledUp, cells, without } = suffixes
  return withBenchDatabase(db, databaseUrl, rolledUp, (pyramid) =>
    withBenchDatabase(db, databaseUrl, cells, (noTriggers) =>
      withBenchDatabase(db, databaseUrl, without, async (bare) => {
        const city = await fillForWriters(pyramid)
        await fillForWriters(noTriggers)
        await noTriggers.executeScript(withoutPyramid)
        await fillForWriters(bare)
        await bare.executeScript(withoutCells)
        for (const own of [pyramid, noTriggers, bare]) await own.execute(sql`VACUUM (ANALYZE)`)
        const open = (suffix: string) =>
          openWriters({ ...city, writers: connections, databaseUrl: benchDatabaseUrl(databaseUrl, suffix) })
        const sides: readonly [Side, Side, Side] = [
          { name: 'with the pyramid', writers: await open(rolledUp), rollUp: () => rollUpCellChanges(pyramid), speeds: [] },
          { name: 'without it, with cells', writers: await open(cells), speeds: [] },
          { name: 'without either', writers: await open(without), speeds: [] },
        ]
        try {
          for (let turn = 0; turn < TURNS; turn++) {
            // The order rotates, so that each database is first equally often.
            for (const n of sides.keys()) await takeTurn(sides[(n + turn) % sides.length] ?? sides[0])
          }
        } finally {
          for (const { writers } of sides) await writers.close()
        }
        return [compared(sides, connections, say)]
      }),
    ),
  )
}

/** One turn lasts as long as the interval of the worker; changes are rolled up in its middle. */
async function takeTurn({ writers, rollUp, speeds }: Side): Promise<void> {
  const [speed] = await Promise.all([
    writers.write({ seconds: ROLL_UP_EVERY_MS / 1_000 }),
    setTimeout(ROLL_UP_EVERY_MS / 2).then(rollUp),
  ])
  speeds.push(speed)
}

function compared(sides: readonly [Side, Side, Side], writers: number, say: (line: string) => void): Goal {
  const of = ({ speeds }: Side, pick: (speed: WriteSpeed) => number) => median(speeds.map(pick))
  say(
    `\n${`${writers} writers in one city`.padEnd(26)}${['writes/s', 'p50 ms', 'p99 ms', 'times', 'processor ms', 'times'].map((cell) => cell.padStart(14)).join('')}`,
  )
  const [rolledUp, , without] = sides
  // Ratios of neighboring turns cancel out other load on the machine.
  const timesOf = ({ speeds }: Side, pick: (speed: WriteSpeed) => number) =>
    median(rolledUp.speeds.map((speed, turn) => pick(speed) / pick(speeds[turn] ?? speed)))
  const processorOf = ({ processorMs }: WriteSpeed) => processorMs ?? Number.NaN
  for (const side of sides) {
    const cells = [
      of(side, (s) => s.perSecond).toFixed(0),
      of(side, (s) => s.p50).toFixed(1),
      of(side, (s) => s.p99).toFixed(1),
      side === rolledUp ? '' : timesOf(side, (s) => s.perSecond).toFixed(2),
      of(side, processorOf).toFixed(2),
      side === rolledUp ? '' : timesOf(side, processorOf).toFixed(2),
    ]
    say(`  ${side.name}`.padEnd(26) + cells.map((cell) => cell.padStart(14)).join(''))
  }
  const ratio = timesOf(without, (s) => s.perSecond)
  const inOrder = rolledUp.speeds
    .map(({ perSecond }, turn) => perSecond / (without.speeds[turn]?.perSecond ?? Number.NaN))
    .sort((a, b) => a - b)
  const [low, high] = [0.25, 0.75].map((share) => (inOrder[Math.floor(inOrder.length * share)] ?? Number.NaN).toFixed(2))
  say(`  half of ${TURNS} turns are between ${low} and ${high}; the processor time is that of the writers, without the roll-up`)
  return {
    text: `${writers} writers in one city reach ${ratio.toFixed(2)} of what they reach without the pyramid and all indexes of cells, goal ≥ ${RATIO_MIN}`,
    reached: ratio >= RATIO_MIN,
  }
}

/** Adds issues everywhere, so that indexes have a realistic depth. Returns the center of the largest city. */
export async function fillForWriters(own: PostgresDatabase): Promise<{ lng: number; lat: number }> {
  await migrate(own)
  await fill(own, { issues: ISSUES, withConversation: false })
  const [city] = await queryRows<{ lng: number; lat: number }>(own, sql`SELECT c.lng, c.lat FROM bench_cities c WHERE c.id = 1`)
  return city ?? { lng: 0, lat: 0 }
}

export async function whileRollingUp<Result>(own: PostgresDatabase, work: () => Promise<Result>): Promise<Result> {
  const done = new AbortController()
  const rollingUp = (async () => {
    while (!done.signal.aborted) {
      await setTimeout(ROLL_UP_EVERY_MS)
      await rollUpCellChanges(own)
    }
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await rollingUp
  }
}
