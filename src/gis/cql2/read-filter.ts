import { text } from '../../locales/texts.ts'
import type { Sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Crs } from '../crs/crs.ts'
import { FilterError } from './error.ts'
import { filterCost_ns, CHEAP_NS, WORK_MAX_NS } from './filter-cost.ts'
import { type FilterLanguage, parseFilterText, toPredicate } from './parse.ts'
import type { QueryableRow } from './queryable.ts'

interface FilterInput {
  readonly filter: string
  readonly language: FilterLanguage
  readonly crs: Crs
}

export interface ReadFilter {
  readonly predicate: Sql
  /** True if the predicate should be evaluated once only. */
  readonly isCostly: boolean
  /** @throws Problem 422 if the filter takes too long for this number of rows */
  limitRows(countRows: () => Promise<number>): Promise<void>
}

/** Returns the predicate of a filter over a row of a collection. @throws Problem 422 */
export async function readFilter(
  { filter, language, crs }: FilterInput,
  row: QueryableRow,
  areas: AreaLookup,
): Promise<ReadFilter> {
  try {
    const condition = parseFilterText(filter, language)
    const cost_ns = filterCost_ns(condition, row)
    const isCostly = cost_ns > CHEAP_NS
    return {
      predicate: await toPredicate(condition, row, crs, areas),
      isCostly,
      async limitRows(countRows) {
        const rows = isCostly ? await countRows() : 0
        if (cost_ns * rows > WORK_MAX_NS)
          throw problems.invalid({ filter: text('filter_too_costly', { rows, max: Math.floor(WORK_MAX_NS / cost_ns) }) })
      },
    }
  } catch (error) {
    throw error instanceof FilterError ? problems.invalid({ filter: error.text }) : error
  }
}
