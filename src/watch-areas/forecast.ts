import { betaBinomial, type Interval, likeliestCounts, negativeBinomial } from './count-distributions.ts'
import type { Frequency } from './digest-times.ts'

/**
 * Forecast of the mails of the next week from the events of the last ninety days. docs/adr/0019 has the reasons and the
 * measured coverage of the interval.
 */

export const DAYS = 90
/** Share of the weeks that the interval covers. */
export const PROBABILITY = 0.8
const WEEK = 7
const WEEKS = Math.floor(DAYS / WEEK)
/** Weights halve every two weeks, because areas change faster than they repeat themselves. */
const HALF_LIFE_WEEKS = 2
/** Prior for the dispersion of weekly counts (1 is Poisson), and its weight in weeks. */
const USUAL = { dispersion: 1, weeks: 4 }
/** Squared relative drift of a rate per week (about a seventh), which is measurable only with many events. */
const WANDERING = 0.02
/** Number of the oldest weeks that are not used for validation, because they have too little history. */
const LEARNED_FROM_WEEKS = 3
/** Counts above this are treated as continuous. */
const COUNTED_MAX = 10_000
/** Quantile of the standard normal distribution: `PROBABILITY` lies between its negative and it. */
const QUANTILE = 1.2815515655446004

export interface Forecast extends Interval {
  readonly expected: number
}

/** Forecasts the mails of the next seven days. @param days number of events on each of the last 90 days, the oldest first */
export function forecast(days: readonly number[], frequency: Frequency): Forecast {
  const most = mailsMax[frequency]
  const weeks = weeksOf(days).map((week) => mailsOf(week, frequency))
  if (most === 0 || weeks.every((mails) => mails === 0)) return { expected: 0, low: 0, high: 0 }
  const spread = (mean: number) => (most === Infinity ? mean : mean * (1 - mean / most))
  const usual = weeks.reduce((sum, mails) => sum + mails, 0) / weeks.length
  const expectedAfter = (past: readonly number[]) => {
    const { mean, worth } = recentMean(past)
    return { mean: most === Infinity ? mean : (mean * worth + most / 2 / WEEKS) / (worth + 1 / WEEKS), worth }
  }

  const { mean, worth } = expectedAfter(weeks)
  const errors = weeks.slice(0, WEEKS - LEARNED_FROM_WEEKS).map((mails, n) => {
    const past = expectedAfter(weeks.slice(n + 1))
    // A lower bound of the rate keeps the first event in a quiet area from dominating.
    const foretold = Math.max(past.mean, Math.min(usual, past.mean + usual) / 2)
    return (mails - past.mean) ** 2 / (spread(foretold) * (1 + 1 / past.worth))
  })
  const dispersion = Math.max(
    1,
    (USUAL.dispersion * USUAL.weeks + errors.reduce((sum, error) => sum + error, 0)) / (USUAL.weeks + errors.length),
  )
  const variance = dispersion * spread(mean) * (1 + 1 / worth) + (most === Infinity ? WANDERING * mean ** 2 : 0)
  return { expected: mean, ...intervalOf(mean, variance, most) }
}

const mailsMax = { instant: Infinity, daily: WEEK, weekly: 1, never: 0 } as const satisfies Record<Frequency, number>

/** Returns the number of mails of each past week, the latest last. */
export function mailsByWeek(days: readonly number[], frequency: Frequency): number[] {
  return weeksOf(days)
    .map((week) => mailsOf(week, frequency))
    .toReversed()
}

/** Returns the weeks, the latest first, without the incomplete oldest one. */
function weeksOf(days: readonly number[]): number[][] {
  return Array.from({ length: WEEKS }, (_, n) => days.slice(DAYS - WEEK * (n + 1), DAYS - WEEK * n))
}

/** Returns the number of mails in a week: one per event, per day with events, or per week with events. */
function mailsOf(week: readonly number[], frequency: Frequency): number {
  const days = week.filter((events) => events > 0).length
  if (frequency === 'instant') return week.reduce((sum, events) => sum + events, 0)
  return Math.min(days, mailsMax[frequency])
}

/** Returns the mean weighted towards recent weeks, and the number of equally weighted weeks that it corresponds to. */
function recentMean(weeks: readonly number[]): { mean: number; worth: number } {
  const weights = weeks.map((_, n) => 0.5 ** (n / HALF_LIFE_WEEKS))
  const sum = (of: (weight: number, n: number) => number) => weights.reduce((all, weight, n) => all + of(weight, n), 0)
  const total = sum((weight) => weight)
  return { mean: sum((weight, n) => weight * (weeks[n] ?? 0)) / total, worth: total ** 2 / sum((weight) => weight ** 2) }
}

function intervalOf(mean: number, variance: number, most: number): Interval {
  if (most !== Infinity) return likeliestCounts(betaBinomial(most, mean, variance), PROBABILITY)
  if (mean <= COUNTED_MAX) return likeliestCounts(negativeBinomial(mean, variance), PROBABILITY)
  // The negative binomial distribution is skewed, and its logarithm is about normal.
  const width = Math.sqrt(Math.log1p(variance / mean ** 2))
  const middle = Math.log(mean) - width ** 2 / 2
  return { low: Math.round(Math.exp(middle - QUANTILE * width)), high: Math.round(Math.exp(middle + QUANTILE * width)) }
}
