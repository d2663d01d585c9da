import type { Frequency } from './schema.ts'

/** Distributions are probabilities of 0, 1, 2, … A dozen weeks of data determine no more parameters than mean and variance. */

const CUMULATIVE_MAX = 0.9999

/** Returns the negative binomial distribution, or the Poisson distribution if the variance does not exceed the mean. */
function negativeBinomial(mean: number, variance: number): number[] {
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

function betaBinomial(trials: number, mean: number, variance: number): number[] {
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
function highestDensityInterval(probabilities: readonly number[], coverage: number): Interval {
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

/** Forecast of the mails of the next week from the events of the last ninety days (docs/adr/0019). */

export const DAYS = 90
export const PROBABILITY = 0.8
const WEEK = 7
const WEEKS = Math.floor(DAYS / WEEK)
/** Weights halve every two weeks, because areas change faster than they repeat themselves. */
const HALF_LIFE_WEEKS = 2
/** The prior for the dispersion of weekly counts (1 is Poisson), and its weight in weeks. */
const PRIOR = { dispersion: 1, weeks: 4 }
/** The squared relative drift of a rate per week is measurable only with many events. */
const DRIFT_VARIANCE = 0.02
/** The oldest weeks have too little history and are not used for validation. */
const WARM_UP_WEEKS = 3
/** Counts above this are treated as continuous. */
const DISCRETE_MAX = 10_000
/** `PROBABILITY` of the standard normal distribution lies within this many standard deviations. */
const QUANTILE = 1.2815515655446004

interface Forecast extends Interval {
  readonly expected: number
}

/** Forecasts the mails of the next seven days. @param days number of events on each of the last 90 days, the oldest first */
export function forecast(days: readonly number[], frequency: Frequency): Forecast {
  const maximum = mailsMax[frequency]
  const weeks = splitIntoWeeks(days).map((week) => countMails(week, frequency))
  if (maximum === 0 || weeks.every((mails) => mails === 0)) return { expected: 0, low: 0, high: 0 }
  const baseVariance = (mean: number) => (maximum === Infinity ? mean : mean * (1 - mean / maximum))
  const average = weeks.reduce((sum, mails) => sum + mails, 0) / weeks.length
  const estimate = (past: readonly number[]) => {
    const { mean, sampleSize } = weightedMean(past)
    return { mean: maximum === Infinity ? mean : (mean * sampleSize + maximum / 2 / WEEKS) / (sampleSize + 1 / WEEKS), sampleSize }
  }

  const { mean, sampleSize } = estimate(weeks)
  const errors = weeks.slice(0, WEEKS - WARM_UP_WEEKS).map((mails, n) => {
    const past = estimate(weeks.slice(n + 1))
    // A lower bound of the rate keeps the first event in a quiet area from dominating.
    const predicted = Math.max(past.mean, Math.min(average, past.mean + average) / 2)
    return (mails - past.mean) ** 2 / (baseVariance(predicted) * (1 + 1 / past.sampleSize))
  })
  const dispersion = Math.max(
    1,
    (PRIOR.dispersion * PRIOR.weeks + errors.reduce((sum, error) => sum + error, 0)) / (PRIOR.weeks + errors.length),
  )
  const variance = dispersion * baseVariance(mean) * (1 + 1 / sampleSize) + (maximum === Infinity ? DRIFT_VARIANCE * mean ** 2 : 0)
  return { expected: mean, ...predictionInterval(mean, variance, maximum) }
}

const mailsMax = { instant: Infinity, daily: WEEK, weekly: 1, never: 0 } as const satisfies Record<Frequency, number>

export function mailsByWeek(days: readonly number[], frequency: Frequency): number[] {
  return splitIntoWeeks(days)
    .map((week) => countMails(week, frequency))
    .toReversed()
}

/** Returns the range of events that four of five daily or weekly digests would have held; undefined without digests. */
export function digestContents(days: readonly number[], frequency: Frequency): Interval | undefined {
  if (frequency !== 'daily' && frequency !== 'weekly') return undefined
  const digests = frequency === 'daily' ? days : splitIntoWeeks(days).map((week) => week.reduce((sum, events) => sum + events, 0))
  const sorted = digests.toSorted((a, b) => a - b)
  const quantile = (probability: number) => sorted[Math.round(probability * (sorted.length - 1))] ?? 0
  return { low: quantile((1 - PROBABILITY) / 2), high: quantile((1 + PROBABILITY) / 2) }
}

function splitIntoWeeks(days: readonly number[]): number[][] {
  return Array.from({ length: WEEKS }, (_, n) => days.slice(DAYS - WEEK * (n + 1), DAYS - WEEK * n))
}

function countMails(week: readonly number[], frequency: Frequency): number {
  const days = week.filter((events) => events > 0).length
  if (frequency === 'instant') return week.reduce((sum, events) => sum + events, 0)
  return Math.min(days, mailsMax[frequency])
}

/** Returns the mean weighted towards recent weeks, and its effective sample size in weeks (Kish). */
function weightedMean(weeks: readonly number[]): { mean: number; sampleSize: number } {
  const weights = weeks.map((_, n) => 0.5 ** (n / HALF_LIFE_WEEKS))
  const sum = (term: (weight: number, n: number) => number) => weights.reduce((total, weight, n) => total + term(weight, n), 0)
  const total = sum((weight) => weight)
  return { mean: sum((weight, n) => weight * (weeks[n] ?? 0)) / total, sampleSize: total ** 2 / sum((weight) => weight ** 2) }
}

function predictionInterval(mean: number, variance: number, maximum: number): Interval {
  if (maximum !== Infinity) return highestDensityInterval(betaBinomial(maximum, mean, variance), PROBABILITY)
  if (mean <= DISCRETE_MAX) return highestDensityInterval(negativeBinomial(mean, variance), PROBABILITY)
  // The negative binomial distribution is skewed, and its logarithm is about normal.
  const width = Math.sqrt(Math.log1p(variance / mean ** 2))
  const middle = Math.log(mean) - width ** 2 / 2
  return { low: Math.round(Math.exp(middle - QUANTILE * width)), high: Math.round(Math.exp(middle + QUANTILE * width)) }
}
