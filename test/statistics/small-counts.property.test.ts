import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { COUNT_MIN, isSmall, showCount, type ShownCount, showParts } from '../../src/statistics/small-counts.ts'
import { runs } from '../helpers/long.ts'

const count = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 200 }))
const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)

/** Returns all counts that may stand where one is left out: together they fill what is missing, and the rule shows the same for them. */
function possibleCounts(shown: readonly ShownCount[], total: number): readonly number[][] {
  const rest = total - sum(shown.map((one) => one ?? 0))
  const fill = (left: readonly ShownCount[], remaining: number): number[][] => {
    const [first, ...others] = left
    if (first === undefined) return remaining === 0 ? [[]] : []
    const choices = first === null ? Array.from({ length: remaining + 1 }, (_, n) => n) : [first]
    return choices.flatMap((choice) => fill(others, remaining - (first === null ? choice : 0)).map((tail) => [choice, ...tail]))
  }
  return fill(shown, rest).filter((parts) => JSON.stringify(showParts(parts, total)) === JSON.stringify(shown))
}

describe('showParts', () => {
  it('leaves out every count of 1 to 4, and changes no other one', () => {
    fc.assert(
      fc.property(fc.array(count, { maxLength: 40 }), (parts) => {
        const shown = showParts(parts, showCount(sum(parts)))

        expect(shown.some((one) => one !== null && isSmall(one))).toBe(false)
        expect(shown.filter((one, index) => one !== null && one !== parts[index])).toEqual([])
        expect(parts.some(isSmall) || sum(parts) === 0 || !shown.includes(null)).toBe(true)
      }),
      runs(200),
    )
  })

  it('lets no count of 1 to 4 follow from the total and the others, even with knowledge of the rule', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 4 }), (parts) => {
        const total = sum(parts)
        fc.pre(total >= COUNT_MIN)
        const shown = showParts(parts, total)

        const possible = possibleCounts(shown, total)

        const certain = shown.map((one, index) => one === null && new Set(possible.map((counts) => counts[index])).size === 1)
        expect(certain.map((isCertain, index) => isCertain && isSmall(parts[index] ?? 0))).toEqual(parts.map(() => false))
      }),
      runs(200),
    )
  })

  it.each<[parts: number[], shown: ShownCount[]]>([
    [
      [0, 9, 12],
      [0, 9, 12],
    ],
    [
      [3, 9, 12],
      [null, null, 12],
    ],
    [
      [1, 2, 9, 12],
      [null, null, null, 12],
    ],
    [
      [4, 4, 12],
      [null, null, 12],
    ],
    [
      [2, 2, 2, 0],
      [null, null, null, null],
    ],
    [
      [1, 0, 30, 6],
      [null, 0, 30, null],
    ],
  ])('shows %j as %j', (parts, shown) => {
    expect(showParts(parts, sum(parts))).toEqual(shown)
  })

  it('shows no part of a total that is left out', () => {
    expect(showParts([3, 0], null)).toEqual([null, null])
  })
})
