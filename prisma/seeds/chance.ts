/** Repeatable chance: the same seed and the same stream give the same numbers, on every machine. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  next(): number
  /** A whole number, both ends included. */
  whole(min: number, max: number): number
  between(min: number, max: number): number
  yes(probability: number): boolean
  /** @throws Error for an empty list. */
  among<T>(list: readonly T[]): T
  /** Normally distributed, mean 0, standard deviation 1. */
  normal(): number
  /** Skewed like waiting times: half of the values lie below `median`. */
  wait(median: number, spread?: number): number
}

/** `stream` keeps parts apart, so that more of one part leaves the others as they were. */
export function openChance(seed: number, stream: string): Chance {
  const next = generator(seed, stream)
  const chance: Chance = {
    next,
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    between: (min, max) => min + next() * (max - min),
    yes: (probability) => next() < probability,
    among(list) {
      const chosen = list[Math.floor(next() * list.length)]
      if (chosen === undefined) throw new Error('Nothing can be chosen from an empty list')
      return chosen
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    wait: (median, spread = 1) => median * Math.exp(spread * chance.normal()),
  }
  return chance
}

/** A function that chooses by weight; items of weight 0 never come. */
export function weighted<T>(items: readonly T[], weightOf: (item: T) => number): (chance: Chance) => T {
  const kept = items.filter((item) => weightOf(item) > 0)
  let sum = 0
  const sums = kept.map((item) => (sum += weightOf(item)))
  return (chance) => {
    const mark = chance.next() * sum
    let low = 0
    let high = kept.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) > mark) high = middle
      else low = middle + 1
    }
    const chosen = kept[low]
    if (chosen === undefined) throw new Error('Nothing can be chosen where every weight is 0')
    return chosen
  }
}

/** sfc32 (Chris Doty-Humphrey, public domain), started from an FNV-1a hash of seed and stream. */
function generator(seed: number, stream: string): () => number {
  let hash = 0x811c9dc5
  for (const letter of `${seed} ${stream}`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  let [a, b, c, counter] = [hash, hash ^ 0x9e3779b9, Math.imul(hash, 0x85ebca6b), 1]
  const next = () => {
    const mixed = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + mixed
    return (mixed >>> 0) / 2 ** 32
  }
  for (let warmUp = 0; warmUp < 16; warmUp++) next()
  return next
}
