/** Distributions are probabilities of 0, 1, 2, … A dozen weeks of data determine no more parameters than mean and variance. */

const CUMULATIVE_MAX = 0.9999

/** Returns the negative binomial distribution, or the Poisson distribution if the variance does not exceed the mean. */
export function negativeBinomial(mean: number, variance: number): number[] {
  // The large size makes the result equal to the limit in floating point.
  const size = variance > mean * (1 + 1e-6) ? mean ** 2 / (variance - mean) : mean * 1e6
  const probabilities: number[] = []
  let logarithm = -size * Math.log1p(mean / size)
  const step = Math.log(mean / (mean + size))
  for (let [count, sum] = [0, 0]; sum < CUMULATIVE_MAX || count <= mean; count += 1) {
    const probability = Math.exp(logarithm)
    probabilities.push(probability)
    sum += probability
    logarithm += Math.log((count + size) / (count + 1)) + step
    // Rounding errors may keep the sum below the limit, so a negligible probability far above the mean also ends the loop.
    if (count > mean && probability < 1e-12) break
  }
  return probabilities
}

export function betaBinomial(trials: number, mean: number, variance: number): number[] {
  const probability = mean / trials
  const overdispersion = variance / (trials * probability * (1 - probability))
  // The bounds are no correlation and almost complete correlation. A single trial has none.
  const correlation = trials === 1 ? 0.5 : Math.min(Math.max((overdispersion - 1) / (trials - 1), 1e-6), 0.9)
  const [a, b] = [probability, 1 - probability].map((part) => part * (1 / correlation - 1)) as [number, number]
  const weights = [1]
  for (let count = 0; count < trials; count += 1) {
    weights.push(((weights[count] ?? 0) * (trials - count) * (a + count)) / ((count + 1) * (b + trials - count - 1)))
  }
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / sum)
}

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Returns the highest density interval: the most probable counts, with a total probability nearest to `coverage`. */
export function highestDensityInterval(probabilities: readonly number[], coverage: number): Interval {
  const at = (count: number) => probabilities[count] ?? 0
  let low = probabilities.indexOf(Math.max(...probabilities))
  let high = low
  let covered = at(low)
  while (covered < coverage) {
    const [below, above] = [at(low - 1), at(high + 1)]
    const next = Math.max(below, above)
    if (next === 0 || covered + next - coverage > coverage - covered) break
    covered += next
    if (above >= below) high += 1
    else low -= 1
  }
  return { low, high }
}
