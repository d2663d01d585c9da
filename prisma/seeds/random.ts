/** A seeded pseudorandom number generator: the same seed and stream give the same numbers on every machine. */
export interface Random {
  /** Returns a number from 0 to less than 1. */
  next(): number
  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number
  between(min: number, max: number): number
  chance(probability: number): boolean
  /** @throws Error for an empty list */
  pick<T>(list: readonly T[]): T
  /** Returns a normally distributed number with mean 0 and standard deviation 1. */
  normal(): number
  logNormal(median: number, spread?: number): number
}

/** Each part of the demo has its own stream, so that a change of one part does not change the others. */
export function createRandom(seed: number, stream: string): Random {
  const next = generator(seed, stream)
  const random: Random = {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    between: (min, max) => min + next() * (max - min),
    chance: (probability) => next() < probability,
    pick(list) {
      const chosen = list[Math.floor(next() * list.length)]
      if (chosen === undefined) throw new Error('An empty list has no item to pick')
      return chosen
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    logNormal: (median, spread = 1) => median * Math.exp(spread * random.normal()),
  }
  return random
}

export function weightedPicker<T>(items: readonly T[], weightOf: (item: T) => number): (random: Random) => T {
  const candidates = items.filter((item) => weightOf(item) > 0)
  let sum = 0
  const sums = candidates.map((item) => (sum += weightOf(item)))
  return (random) => {
    const mark = random.next() * sum
    let low = 0
    let high = candidates.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) > mark) high = middle
      else low = middle + 1
    }
    const chosen = candidates[low]
    if (chosen === undefined) throw new Error('All weights are 0')
    return chosen
  }
}

/** sfc32 (Chris Doty-Humphrey, public domain), seeded by an FNV-1a hash of seed and stream. */
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
