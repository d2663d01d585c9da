/** A word as reports have it, and in about how many of them it stands. */
export interface KnownWord {
  readonly word: string
  readonly reports: number
}

/** Longer words leave room for a second slip. */
const TWO_SLIPS_FROM = 7
/** Of the words that are equally near, so many of the most frequent ones. */
const ALIKE_MAX = 8
/** A word that reports have is taken for a slip where a word near it is so many times as frequent; */
const TIMES_LIKELIER = 10
/** so many times where it is shorter than this, since most short words are one slip away from another good one. */
const TIMES_LIKELIER_IF_SHORT = 100
const SHORT_BELOW = 6

/**
 * Which of the `known` words were probably meant by the one that was typed: the nearest ones, and words farther away only where they are
 * many times more frequent than all that is nearer. `reports` tells how many have the typed word itself; 0 makes every near word a
 * likely one.
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
  // Three letters are one slip away from too much.
  if (letters < 4 && !areSwapped) return false
  // Whoever mistypes a word rarely does so in its first letter.
  if (reports > 0 && typed[0] !== word[0]) return false
  return found >= nearer * (letters < SHORT_BELOW && !areSwapped ? TIMES_LIKELIER_IF_SHORT : TIMES_LIKELIER)
}

/**
 * How many slips of typing lead from one word to the other: a letter too many, too few or a wrong one, or two neighbours swapped
 * (the optimal string alignment distance).
 */
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
