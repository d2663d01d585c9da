import { countPendingCellChanges, rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { inOwnDatabase, nameBeside, urlBeside } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import type { Goal } from '../report.ts'
import { openWriters } from '../load/writer-process.ts'
import { fillForWriters, FOLD_EVERY_MS, whileFolding } from './writers.ts'

/*
 * Whether the fold keeps up: how many changes wait at most while so many writes a second come, for longer than many a fold takes.
 */
const PER_SECOND = 1_000
/** Of a transaction: with one each, two cores cannot write so many. */
const AT_ONCE = 4
const SECONDS = 30
const WAITING_MAX = 10_000
const LOOK_EVERY_MS = 200
const SUFFIX = 'fold'

export const foldDatabases = (databaseUrl: string): string[] => [nameBeside(databaseUrl, SUFFIX)]

export async function measureFold({ db, databaseUrl, connections, say }: Bench): Promise<readonly Goal[]> {
  return inOwnDatabase(db, databaseUrl, SUFFIX, async (own) => {
    const city = await fillForWriters(own)
    const seen: number[] = []
    const writers = await openWriters({
      ...city,
      databaseUrl: urlBeside(databaseUrl, SUFFIX),
      writers: connections,
      perSecond: PER_SECOND,
      concurrency: AT_ONCE,
    })
    // What warmed them, as fast as they could.
    await rollUpCellChanges(own)
    const speed = await whileFolding(own, async () => {
      const looking = setInterval(() => void countPendingCellChanges(own).then((waiting) => seen.push(waiting)), LOOK_EVERY_MS)
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
      `\nfold every ${FOLD_EVERY_MS / 1_000} s while ${speed.perSecond.toFixed(0)} writes/s came for ${SECONDS} s (${PER_SECOND} were wanted, ${AT_ONCE} in each transaction): at most ${most} changes waited, ${left} at the end; a transaction took ${speed.p50.toFixed(1)} ms, p99 ${speed.p99.toFixed(1)} ms`,
    )
    return [
      {
        text: `${most} changes waited at most at ${speed.perSecond.toFixed(0)} writes/s, goal < ${WAITING_MAX} at ${PER_SECOND}`,
        reached: most < WAITING_MAX && speed.perSecond > 0.98 * PER_SECOND,
      },
    ]
  })
}
