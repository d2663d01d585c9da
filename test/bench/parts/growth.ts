import type { Queryable } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import type { IssueFilter } from '../../../src/issues/list/filter.ts'
import { findListPage } from '../../../src/issues/list/page.ts'
import { fill } from '../fill.ts'
import { median } from '../median.ts'
import { withBenchDatabase, benchDatabaseName, benchDatabaseUrl } from '../own-databases.ts'
import type { Bench } from '../parts.ts'
import { boxAround, type City, largestCity, HALF_CITY } from '../reference.ts'
import type { Goal } from '../report.ts'

/* Compares the first page of a city with its total (`findListPage`) among all issues and among 100,000 in the same cities. */
const FEW = 100_000
const TURNS = 40
const ROUNDS = 7
const TIMES_MAX = 1.5
const SUFFIX = 'few'

const statuses = ['Open', 'Acknowledged', 'Closed'] as const

export const growthDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

export async function measureGrowth({ db, databaseUrl, issues, cities, say }: Bench): Promise<readonly Goal[]> {
  if (issues <= FEW) return []
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (own) => {
    await migrate(own)
    await fill(own, { issues: FEW })
    const few = openPostgres({ url: benchDatabaseUrl(databaseUrl, SUFFIX), pools: { read: 1, write: 1 } })
    const many = openPostgres({ url: databaseUrl, pools: { read: 1, write: 1 } })
    const sizes = [FEW, issues].map((size) => `of ${size.toLocaleString('en')} ms`.padStart(20)).join('')
    say(`\n${'city box, page and total'.padEnd(32)}${sizes}    times`)
    try {
      const largest = await compare({ few, many }, [largestCity(cities)], TURNS)
      const others = await compare({ few, many }, cities, ROUNDS)
      for (const [name, { few: before, many: after }] of [
        ['the largest city', largest],
        [`${cities.length} cities, one each`, others],
      ] as const) {
        say(
          `  ${name}`.padEnd(32) +
            before.toFixed(2).padStart(20) +
            after.toFixed(2).padStart(20) +
            (after / before).toFixed(2).padStart(9),
        )
      }
      const goal = (name: string, { few: before, many: after }: Sides<number>) => ({
        text: `${name}: page and total among ${issues.toLocaleString('en')} issues are ${(after / before).toFixed(2)} × those among ${FEW.toLocaleString('en')}, goal ≤ ${TIMES_MAX}`,
        reached: after / before <= TIMES_MAX,
      })
      return [goal('the largest city', largest), goal(`${cities.length} cities`, others)]
    } finally {
      await few.close()
      await many.close()
    }
  })
}

interface Sides<Value> {
  readonly few: Value
  readonly many: Value
}

/** Returns the median over the rounds of the mean milliseconds per city. */
async function compare(sides: Sides<Queryable>, cities: readonly City[], rounds: number): Promise<Sides<number>> {
  const taken = { few: [] as number[], many: [] as number[] }
  for (let round = -2; round < rounds; round++) {
    const sum = { few: 0, many: 0 }
    for (const city of cities) {
      for (const side of ['few', 'many'] as const) {
        const began = performance.now()
        const order = { by: 'created_at', direction: 'DESC' } as const
        await findListPage(sides[side], { filter: filterOf(city), order, pagePosition: { page: 1, perPage: 20 }, viewer: null })
        sum[side] += performance.now() - began
      }
    }
    // The first rounds are a warm-up.
    if (round < 0) continue
    taken.few.push(sum.few / cities.length)
    taken.many.push(sum.many / cities.length)
  }
  return { few: median(taken.few), many: median(taken.many) }
}

function filterOf(city: City): IssueFilter {
  const [west, south, east, north] = boxAround(city, HALF_CITY)
  return { area: { kind: 'box', box: { west, south, east, north } }, statuses }
}
