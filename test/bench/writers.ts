import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { foldCellChanges } from '../../src/geo/pyramid/fold.ts'
import { fill } from './fill.ts'
import type { Speed } from './measure.ts'
import { median } from './median.ts'
import { inOwnDatabase, nameBeside, urlBeside } from './own-databases.ts'
import type { Bench } from './parts.ts'
import type { Goal } from './report.ts'
import type { WriteJob } from './write-load.ts'

/*
 * Sixteen writers into one city: with the pyramid, which is folded as the worker does it, and in a database that has nothing of it.
 */
const ISSUES = 50_000
const TURNS = 7
const RATIO_MIN = 0.9
/** As the worker is told to (jobs/schedule.ts). */
export const FOLD_EVERY_MS = 2_000
const suffixes = { with: 'pyramid', without: 'no_pyramid' } as const

export const writerDatabases = (databaseUrl: string): string[] =>
  Object.values(suffixes).map((suffix) => nameBeside(databaseUrl, suffix))

/** All that a write pays for: triggers, the index and the column. Nothing can be counted here any more. */
const withoutPyramid = `
  DROP TRIGGER issues_note_cells_on_insert ON issues;
  DROP TRIGGER issues_note_cells_on_update ON issues;
  DROP TRIGGER issues_note_cells_on_delete ON issues;
  ALTER TABLE issues DROP COLUMN cell;`

export async function measureWriters({ db, databaseUrl, connections, seconds, say }: Bench): Promise<readonly Goal[]> {
  return inOwnDatabase(db, databaseUrl, suffixes.with, (pyramid) =>
    inOwnDatabase(db, databaseUrl, suffixes.without, async (bare) => {
      const city = await fillForWriters(pyramid)
      await fillForWriters(bare)
      await bare.executeScript(withoutPyramid)
      const job = { ...city, writers: connections, seconds }
      const speeds = { with: [] as Speed[], without: [] as Speed[] }
      // The first turns warm both.
      for (let turn = -1; turn < TURNS; turn++) {
        const [folded, plain] = [
          await whileFolding(pyramid, () => load({ ...job, databaseUrl: urlBeside(databaseUrl, suffixes.with) })),
          await load({ ...job, databaseUrl: urlBeside(databaseUrl, suffixes.without) }),
        ]
        if (turn >= 0) {
          speeds.with.push(folded)
          speeds.without.push(plain)
        }
      }
      return [compared(speeds.with, speeds.without, connections, say)]
    }),
  )
}

function compared(folded: readonly Speed[], plain: readonly Speed[], writers: number, say: (line: string) => void): Goal {
  const of = (speeds: readonly Speed[], pick: (speed: Speed) => number) => median(speeds.map(pick))
  const line = (name: string, speeds: readonly Speed[]) => {
    const cells = [
      of(speeds, (s) => s.perSecond).toFixed(0),
      of(speeds, (s) => s.p50).toFixed(1),
      of(speeds, (s) => s.p99).toFixed(1),
    ]
    say(`  ${name}`.padEnd(26) + cells.map((cell) => cell.padStart(12)).join(''))
  }
  say(
    `\n${`${writers} writers in one city`.padEnd(26)}${['writes/s', 'p50 ms', 'p99 ms'].map((cell) => cell.padStart(12)).join('')}`,
  )
  line('with the pyramid', folded)
  line('without', plain)
  // Of neighbours: what else the machine does comes and goes for longer than a turn.
  const ratio = median(folded.map(({ perSecond }, turn) => perSecond / (plain[turn]?.perSecond ?? perSecond)))
  return {
    text: `${writers} writers in one city reach ${ratio.toFixed(2)} of what they reach without the pyramid, goal ≥ ${RATIO_MIN}`,
    reached: ratio >= RATIO_MIN,
  }
}

/** Some issues everywhere, so that indexes have their depth; gives the largest city. */
export async function fillForWriters(own: PostgresDatabase): Promise<{ lng: number; lat: number }> {
  await migrate(own)
  await fill(own, { issues: ISSUES, withConversation: false })
  const [city] = await own.query<{ lng: number; lat: number }>(sql`SELECT c.lng, c.lat FROM bench_cities c WHERE c.id = 1`)
  return city ?? { lng: 0, lat: 0 }
}

const run = promisify(execFile)

export async function load(job: WriteJob): Promise<Speed> {
  const script = fileURLToPath(new URL('write-load.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, JSON.stringify(job)])
  return JSON.parse(stdout) as Speed
}

/** Folds at the rhythm of the worker as long as `work` takes. */
export async function whileFolding<Result>(own: PostgresDatabase, work: () => Promise<Result>): Promise<Result> {
  const done = new AbortController()
  const folding = (async () => {
    while (!done.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, FOLD_EVERY_MS))
      await foldCellChanges(own)
    }
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await folding
  }
}
