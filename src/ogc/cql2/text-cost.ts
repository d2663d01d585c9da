import { text } from '../../errors/texts/text.ts'
import type { Condition, Location, Value } from './ast.ts'
import { FilterError } from './error.ts'

/** No index serves these comparisons, so each of them reads the text of every issue, and the embedded engine serves one query at a time. */
const TEXT_COMPARISONS_MAX = 40

/**
 * Limits the patterns and the uses of CASEI and ACCENTI on properties.
 * @throws FilterError
 */
export function limitTextComparisons(condition: Condition): void {
  let count = 0
  const add = (uses: number, at: Location) => {
    count += uses
    if (count > TEXT_COMPARISONS_MAX) throw new FilterError(text('filter_too_costly', { max: TEXT_COMPARISONS_MAX }), at)
  }
  visit(condition)

  function visit(node: Condition): void {
    switch (node.kind) {
      case 'and':
      case 'or':
        return node.conditions.forEach(visit)
      case 'not':
        return visit(node.condition)
      case 'like':
        return add(1 + countFolds(node.value) + countFolds(node.pattern), node.value.at)
      case 'in':
        return add(node.list.length * countFolds(node.value), node.value.at)
      case 'between':
        return add(2 * countFolds(node.value), node.value.at)
      case 'compare':
        return add(countFolds(node.left) + countFolds(node.right), node.left.at)
      case 'constant':
      case 'isNull':
      case 'intersects':
      case 'temporal':
        return
    }
  }
}

/** Returns the number of functions around a property; those around a literal are computed once. */
function countFolds(value: Value): number {
  let folds = 0
  let inner = value
  for (; inner.kind === 'casei' || inner.kind === 'accenti'; inner = inner.value) folds++
  return inner.kind === 'property' ? folds : 0
}
