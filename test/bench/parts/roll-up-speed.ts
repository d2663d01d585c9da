import { countPendingCellChanges, rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { withBenchDatabase, benchDatabaseName, benchDatabaseUrl } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { openWriters } from '../load/writer-process.ts'
import { fillForWriters, ROLL_UP_EVERY_MS, whileRollingUp } from './writers.ts'

/* Measures the maximum number of changes that wait for the roll-up during many writes per second. */
const PER_SECOND = 1_000
/** Two cores are too slow for this rate with one write per transaction. */
const WRITES_PER_TRANSACTION = 4
const SECONDS = 30
const WAITING_MAX = 10_000
const SAMPLE_EVERY_MS = 200
const SUFFIX = 'roll_up'

export const rollUpDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

export async function measureRollUp({ db, databaseUrl, connections, say }: Bench): Promise<readonly Goal[]> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (own) => {
    const city = await fillForWriters(own)
    const seen: number[] = []
    const writers = await openWriters({
      ...city,
      databaseUrl: benchDatabaseUrl(databaseUrl, SUFFIX),
      writers: connections,
      perSecond: PER_SECOND,
      concurrency: WRITES_PER_TRANSACTION,
    })
    await rollUpCellChanges(own)
    const speed = await whileRollingUp(own, async () => {
      const looking = setInterval(() => void countPendingCellChanges(own).then((waiting) => seen.push(waiting)), SAMPLE_EVERY_MS)
      try {
        return await writers.write({ seconds: SECONDS })
      } finally {
        clearInterval(looking)
        await writers.close()
      }
    })
    const most = Math.max(...seen)
    const left = await countPendingCellChanges(own)
    say(
      `\nrolled up every ${ROLL_UP_EVERY_MS / 1_000} s during ${speed.perSecond.toFixed(0)} writes/s for ${SECONDS} s (target ${PER_SECOND}, ${WRITES_PER_TRANSACTION} in each transaction): at most ${most} changes waited, ${left} at the end; a transaction took ${speed.p50.toFixed(1)} ms, p99 ${speed.p99.toFixed(1)} ms`,
    )
    return [
      {
        text: `${most} changes waited at most at ${speed.perSecond.toFixed(0)} writes/s, goal < ${WAITING_MAX} at ${PER_SECOND}`,
        reached: most < WAITING_MAX && speed.perSecond > 0.98 * PER_SECOND,
      },
    ]
  })
}
