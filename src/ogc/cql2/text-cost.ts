import { text } from '../../errors/texts/text.ts'
import type { Condition, Location, Value } from './ast.ts'
import { FilterError } from './error.ts'
import type { QueryableRow } from './queryable.ts'

/** No index serves these comparisons, so each of them reads the text of every issue, and the embedded engine serves one query at a time. */
const TEXT_COMPARISONS_MAX = 40
/** A property that is slow to compute takes as long as some patterns. */
const SLOW_PROPERTY = 10

/**
 * Limits the patterns, the uses of CASEI and ACCENTI on properties, and the comparisons of slow properties that no index serves.
 * @throws FilterError
 */
export function limitTextComparisons(condition: Condition, { queryables }: Pick<QueryableRow, 'queryables'>): void {
  let count = 0
  const add = (uses: number, at: Location) => {
    count += uses
    if (count > TEXT_COMPARISONS_MAX) throw new FilterError(text('filter_too_costly', { max: TEXT_COMPARISONS_MAX }), at)
  }
  visit(condition, false)

  function visit(node: Condition, isNegated: boolean): void {
    switch (node.kind) {
      case 'and':
      case 'or':
        return node.conditions.forEach((part) => visit(part, isNegated))
      case 'not':
        return visit(node.condition, true)
      case 'like':
        return add(1 + cost(node.value) + cost(node.pattern), node.value.at)
      case 'in':
        return node.list.forEach((item) => compare(node.value, item, !isNegated))
      case 'between':
        compare(node.value, node.low, false)
        return compare(node.value, node.high, false)
      case 'compare':
        return compare(node.left, node.right, node.operator === '=' && !isNegated)
      case 'isNull':
        return add(cost(node.value), node.value.at)
      case 'constant':
      case 'intersects':
      case 'temporal':
        return
    }
  }

  /** An index serves a slow property without functions that equals a text. */
  function compare(left: Value, right: Value, isEquality: boolean): void {
    add(cost(left, isEquality && right.kind === 'text') + cost(right, isEquality && left.kind === 'text'), left.at)
  }

  /** Functions around a literal are computed once. */
  function cost(value: Value, hasIndex = false): number {
    let folds = 0
    let inner = value
    for (; inner.kind === 'casei' || inner.kind === 'accenti'; inner = inner.value) folds++
    if (inner.kind !== 'property') return 0
    const isSlow = queryables.get(inner.name)?.indexCondition !== undefined && (folds > 0 || !hasIndex)
    return folds + (isSlow ? SLOW_PROPERTY : 0)
  }
}
