import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'

export const DictionaryWord = Type.Object({ word: Type.String(), reports: Count })
export type DictionaryWord = Static<typeof DictionaryWord>

/** Words of this length or more may have an edit distance of two. */
const TWO_EDITS_LENGTH_MIN = 7
/** This limits the corrections of equal distance; the most frequent ones stay. */
const CORRECTIONS_MAX = 8
/** A word that occurs in reports is corrected only to a word that is this many times more frequent. */
const FREQUENCY_RATIO_MIN = 10
/** Short words need a higher ratio because most of them are one edit away from another valid word. */
const SHORT_FREQUENCY_RATIO_MIN = 100
const SHORT_LENGTH_MAX = 6

/**
 * Returns the nearest `known` words, and more distant ones only if they are many times more frequent than all nearer words. Every
 * near word is probable if no report contains the typed word (`reports` is 0).
 */
export function findCorrections(typed: string, reports: number, known: readonly DictionaryWord[]): string[] {
  const letters = [...typed].length
  const candidates = known
    .filter(({ word }) => !word.startsWith(typed))
    .map((word) => ({ ...word, distance: editDistance(typed, word.word) }))
    .toSorted((one, other) => other.reports - one.reports || (one.word < other.word ? -1 : 1))
  const corrections: DictionaryWord[] = []
  let nearerReports = reports
  for (const distance of letters < TWO_EDITS_LENGTH_MIN ? [1] : [1, 2]) {
    const likely = candidates
      .filter((word) => word.distance === distance && isProbable(typed, letters, reports, nearerReports, word))
      .slice(0, CORRECTIONS_MAX)
    corrections.push(...likely)
    nearerReports += likely.reduce((sum, word) => sum + word.reports, 0)
  }
  return corrections.map(({ word }) => word)
}

function isProbable(
  typed: string,
  letters: number,
  reports: number,
  nearerReports: number,
  { word, reports: candidateReports }: DictionaryWord,
): boolean {
  const areSwapped = [...typed].toSorted().join('') === [...word].toSorted().join('')
  // Words of three letters have too many neighbours at distance one.
  if (letters < 4 && !areSwapped) return false
  // Typing errors are rare in the first letter.
  if (reports > 0 && typed[0] !== word[0]) return false
  return (
    candidateReports >=
    nearerReports * (letters < SHORT_LENGTH_MAX && !areSwapped ? SHORT_FREQUENCY_RATIO_MIN : FREQUENCY_RATIO_MIN)
  )
}

/** Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of two adjacent letters. */
export function editDistance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]]
  let previousRow: number[] = []
  let lastRow = [0, ...to.map((_, column) => column + 1)]
  for (const [row, letter] of from.entries()) {
    const current = [row + 1]
    for (const [column, wanted] of to.entries()) {
      const distanceAt = (matrixRow: readonly number[], index: number) => matrixRow[index] ?? Infinity
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === wanted
      current.push(
        Math.min(
          distanceAt(lastRow, column + 1) + 1,
          distanceAt(current, column) + 1,
          distanceAt(lastRow, column) + (letter === wanted ? 0 : 1),
          isSwap ? distanceAt(previousRow, column - 1) + 1 : Infinity,
        ),
      )
    }
    previousRow = lastRow
    lastRow = current
  }
  return lastRow[to.length] ?? 0
}
