/** Returns a seeded generator of numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the number of events of a day from the usual rate. */
export type EventModel = (rate: number, day: number, chance: () => number) => number

function poisson(mean: number, chance: () => number): number {
  if (mean > 30) return poisson(mean / 2, chance) + poisson(mean / 2, chance)
  let count = 0
  for (let product = chance(); product > Math.exp(-mean); product *= chance()) count += 1
  return count
}

const normal = (chance: () => number) => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())

export const eventModels: Readonly<Record<string, (chance: () => number) => EventModel>> = {
  'at a constant rate': () => (rate, _day, chance) => poisson(rate, chance),
  'with quiet weekends and a season': (chance) => {
    const phase = chance() * 2 * Math.PI
    return (rate, day, next) =>
      poisson(rate * (1 + 0.6 * Math.sin(phase + (day / 365) * 2 * Math.PI)) * (day % 7 < 5 ? 1.2 : 0.5), next)
  },
  'in bursts of several reports': (chance) => {
    const size = 1 + Math.floor(chance() * 8)
    return (rate, _day, next) => {
      const bursts = poisson(rate / (1 + size / 2), next)
      return Array.from({ length: bursts }, () => 1 + poisson(size / 2, next)).reduce((sum, reports) => sum + reports, 0)
    }
  },
  'at a drifting rate': () => {
    let drift = 1
    return (rate, _day, next) => {
      drift *= Math.exp(0.05 * normal(next))
      return poisson(rate * drift, next)
    }
  },
  'with overdispersed days': () => (rate, _day, next) => poisson(rate * -Math.log(1 - next()), next),
}

/** Returns ninety days and the week after them, for rates from one event in five months to forty a week. */
export function createDays(kind: keyof typeof eventModels, chance: () => number): { before: number[]; after: number[] } {
  const rate = (0.05 * 800 ** chance()) / 7
  const world = eventModels[kind]?.(chance)
  const days = Array.from({ length: 97 }, (_, day) => world?.(rate, day, chance) ?? 0)
  return { before: days.slice(0, 90), after: days.slice(90) }
}
