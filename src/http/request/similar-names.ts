/** Minimum length of a name for typo detection: shorter names are too similar to each other. */
const TYPO_LENGTH_MIN = 5

/** Returns a name without the differences that clients often make: case, `-`, `_` and brackets. */
export const normalizeName = (name: string) => name.toLowerCase().replaceAll(/[-_[\]]/g, '')

/** Returns whether a name is one insertion, deletion, substitution or transposition away from a long enough known name. */
export const isTypoOf = (known: string, name: string): boolean =>
  known.length >= TYPO_LENGTH_MIN && isOneEditAway(normalizeName(known), normalizeName(name))

function isOneEditAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && left === [...right].reverse().join(''))
}

/** Returns whether a name, also with a key such as `access_token[0]`, is a known name in any spelling, its own included. */
export function isSpellingOf(known: string, name: string): boolean {
  const [bare = ''] = name.split('[', 1)
  return normalizeName(known) === normalizeName(bare) || isTypoOf(known, bare)
}
