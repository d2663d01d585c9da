/*
 * Distributions of counts as the probabilities of 0, 1, 2, … Each is given by its mean and its variance, since those are what can be
 * learned from a dozen weeks.
 */

/** What lies beyond is too little to show in any interval. */
const ENOUGH = 0.9999

/**
 * The negative binomial: a Poisson whose rate is not known but gamma distributed. With a variance no greater than the mean it is the Poisson
 * itself.
 */
export function negativeBinomial(mean: number, variance: number): number[] {
  // So many that the limit is reached to the last digit.
  const size = variance > mean * (1 + 1e-6) ? mean ** 2 / (variance - mean) : mean * 1e6
  const probabilities: number[] = []
  let logarithm = -size * Math.log1p(mean / size)
  const step = Math.log(mean / (mean + size))
  for (let [count, sum] = [0, 0]; sum < ENOUGH || count <= mean; count += 1) {
    const probability = Math.exp(logarithm)
    probabilities.push(probability)
    sum += probability
    logarithm += Math.log((count + size) / (count + 1)) + step
    // Rounding may keep the sum from its end: what is far above the mean and next to nothing ends it, too.
    if (count > mean && probability < 1e-12) break
  }
  return probabilities
}

/** The beta-binomial of `most` chances: a binomial whose chance is not known but beta distributed. */
export function betaBinomial(most: number, mean: number, variance: number): number[] {
  const chance = mean / most
  const excess = variance / (most * chance * (1 - chance))
  // At least the binomial, and less than all or nothing, which one chance always is.
  const correlation = most === 1 ? 0.5 : Math.min(Math.max((excess - 1) / (most - 1), 1e-6), 0.9)
  const [a, b] = [chance, 1 - chance].map((part) => part * (1 / correlation - 1)) as [number, number]
  const weights = [1]
  for (let count = 0; count < most; count += 1) {
    weights.push(((weights[count] ?? 0) * (most - count) * (a + count)) / ((count + 1) * (b + most - count - 1)))
  }
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / sum)
}

export interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * Of the intervals of the likeliest counts, the one whose probability is nearest to what is wanted. Counts are whole, so hardly any has it
 * exactly: always taking the next larger one would promise too little every time.
 */
export function likeliestCounts(probabilities: readonly number[], wanted: number): Interval {
  const at = (count: number) => probabilities[count] ?? 0
  let low = probabilities.indexOf(Math.max(...probabilities))
  let high = low
  let held = at(low)
  while (held < wanted) {
    const [below, above] = [at(low - 1), at(high + 1)]
    const more = Math.max(below, above)
    if (more === 0 || held + more - wanted > wanted - held) break
    held += more
    if (above >= below) high += 1
    else low -= 1
  }
  return { low, high }
}
