/**
 * Distributions of counts as the probabilities of 0, 1, 2, … Their parameters are mean and variance, because a dozen weeks of
 * data determine no more.
 */

/** Cumulative probability at which the distribution is truncated. */
const ENOUGH = 0.9999

/**
 * Returns the negative binomial distribution: a Poisson distribution with a gamma-distributed rate. If the variance does not
 * exceed the mean, it is the Poisson distribution.
 */
export function negativeBinomial(mean: number, variance: number): number[] {
  // The large size makes the result equal to the limit in floating point.
  const size = variance > mean * (1 + 1e-6) ? mean ** 2 / (variance - mean) : mean * 1e6
  const probabilities: number[] = []
  let logarithm = -size * Math.log1p(mean / size)
  const step = Math.log(mean / (mean + size))
  for (let [count, sum] = [0, 0]; sum < ENOUGH || count <= mean; count += 1) {
    const probability = Math.exp(logarithm)
    probabilities.push(probability)
    sum += probability
    logarithm += Math.log((count + size) / (count + 1)) + step
    // Rounding errors may keep the sum below the limit, so a negligible probability far above the mean also ends the loop.
    if (count > mean && probability < 1e-12) break
  }
  return probabilities
}

/** Returns the beta-binomial distribution of `most` trials: a binomial distribution with a beta-distributed probability. */
export function betaBinomial(most: number, mean: number, variance: number): number[] {
  const chance = mean / most
  const excess = variance / (most * chance * (1 - chance))
  // The bounds are the binomial distribution and almost complete correlation; a single trial has no correlation.
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
 * Returns the interval of the likeliest counts with the probability nearest to `wanted`. Counts are discrete, so the
 * probability is rarely exact; always rounding the interval up would overstate the uncertainty.
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
