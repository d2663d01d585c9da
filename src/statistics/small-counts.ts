/*
 * A count of 1 to 4 could be about one person, so it is null, and so are other counts from which it would follow (docs/statistics.md).
 */

export const COUNT_MIN = 5
/** Counts that are left out together exceed their number by at least this, so that each of them may be anything from 1 to 5. */
const SLACK_MIN = COUNT_MIN - 1

export type ShownCount = number | null

export const isSmall = (count: number): boolean => count > 0 && count < COUNT_MIN
export const showCount = (count: number): ShownCount => (isSmall(count) ? null : count)

/**
 * Returns the counts of the parts of a total so that no count of 1 to 4 follows from the others and the total: the smallest other counts are left out
 * with it, if necessary all of them.
 * @param total is null if it is left out
 */
export function showParts(parts: readonly number[], total: ShownCount): ShownCount[] {
  const none = parts.map(() => null)
  if (total === null) return none
  const ascending = [...parts.keys()].filter((index) => parts[index] !== 0).sort((a, b) => (parts[a] ?? 0) - (parts[b] ?? 0))
  const smalls = ascending.filter((index) => isSmall(parts[index] ?? 0)).length
  if (smalls === 0) return [...parts]
  for (let size = Math.max(smalls, 2); size <= ascending.length; size++) {
    const hidden = new Set(ascending.slice(0, size))
    const sum = [...hidden].reduce((all, index) => all + (parts[index] ?? 0), 0)
    if (sum - size >= SLACK_MIN) return parts.map((count, index) => (hidden.has(index) ? null : count))
  }
  return none
}
