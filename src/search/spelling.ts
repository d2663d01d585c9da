import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'

export const KnownWord = Type.Object({ word: Type.String(), reports: Count })
export type KnownWord = Static<typeof KnownWord>

/** Words of this length or more may have an edit distance of two. */
const TWO_SLIPS_FROM = 7
/** This limits the corrections of equal distance; the most frequent ones stay. */
const ALIKE_MAX = 8
/** A word that occurs in reports is corrected only to a word that is this many times more frequent. */
const TIMES_LIKELIER = 10
/** Short words need a higher ratio because most of them are one edit away from another valid word. */
const TIMES_LIKELIER_IF_SHORT = 100
const SHORT_BELOW = 6

/**
 * Returns the probable corrections of the typed word: the nearest `known` words, and more distant ones only if they are many times
 * more frequent than all nearer words. `reports` is the number of reports with the typed word itself; with 0 every near word is
 * probable.
 */
export function alikeOf(typed: string, reports: number, known: readonly KnownWord[]): string[] {
  const letters = [...typed].length
  const near = known
    .filter(({ word }) => !word.startsWith(typed))
    .map((word) => ({ ...word, slips: slipsBetween(typed, word.word) }))
    .toSorted((one, other) => other.reports - one.reports || (one.word < other.word ? -1 : 1))
  const alike: KnownWord[] = []
  let nearer = reports
  for (const slips of letters < TWO_SLIPS_FROM ? [1] : [1, 2]) {
    const likely = near
      .filter((word) => word.slips === slips && isLikely(typed, letters, reports, nearer, word))
      .slice(0, ALIKE_MAX)
    alike.push(...likely)
    nearer += likely.reduce((sum, word) => sum + word.reports, 0)
  }
  return alike.map(({ word }) => word)
}

function isLikely(typed: string, letters: number, reports: number, nearer: number, { word, reports: found }: KnownWord): boolean {
  const areSwapped = [...typed].toSorted().join('') === [...word].toSorted().join('')
  // Words of three letters have too many neighbours at distance one.
  if (letters < 4 && !areSwapped) return false
  // Typing errors are rare in the first letter.
  if (reports > 0 && typed[0] !== word[0]) return false
  return found >= nearer * (letters < SHORT_BELOW && !areSwapped ? TIMES_LIKELIER_IF_SHORT : TIMES_LIKELIER)
}

/** Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of two adjacent letters. */
export function slipsBetween(one: string, other: string): number {
  const [from, to] = [[...one], [...other]]
  let before: number[] = []
  let above = [0, ...to.map((_, column) => column + 1)]
  for (const [row, letter] of from.entries()) {
    const current = [row + 1]
    for (const [column, wanted] of to.entries()) {
      const at = (line: readonly number[], index: number) => line[index] ?? Infinity
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === wanted
      current.push(
        Math.min(
          at(above, column + 1) + 1,
          at(current, column) + 1,
          at(above, column) + (letter === wanted ? 0 : 1),
          isSwap ? at(before, column - 1) + 1 : Infinity,
        ),
      )
    }
    before = above
    above = current
  }
  return above[to.length] ?? 0
}
