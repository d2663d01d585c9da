import { betaBinomial, type Interval, likeliestCounts, negativeBinomial } from './count-distributions.ts'
import type { Frequency } from './digest-times.ts'

/*
 * How many mails the next week brings, from what happened on the last ninety days. docs/adr/0030 has the reasons, and how often the
 * interval held.
 */

export const DAYS = 90
/** Between which numbers of mails four weeks of five stay. */
export const PROBABILITY = 0.8
const WEEK = 7
/** Whole weeks of the ninety days. */
const WEEKS = Math.floor(DAYS / WEEK)
/** What happened a fortnight earlier counts half: areas change faster than they repeat themselves. */
const HALF_LIFE_WEEKS = 2
/** Weeks differ by chance alone where nothing else is known, and how many weeks that is worth. */
const USUAL = { dispersion: 1, weeks: 4 }
/** By how much of itself a rate wanders until next week, squared: a seventh, which only many events show. */
const WANDERING = 0.02
/** The oldest weeks have too little before them to be foretold from. */
const LEARNED_FROM_WEEKS = 3
/** Beyond this a count is as good as a continuous quantity. */
const COUNTED_MAX = 10_000
/** Of the normal distribution: between its negative and it lies `PROBABILITY`. */
const QUANTILE = 1.2815515655446004

export interface Forecast extends Interval {
  readonly expected: number
}

/**
 * The mails of the next seven days.
 * @param days how many events there were on each of the last 90 days, the oldest first
 */
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
    // A rate that was hardly there yet must not make of the first event a wonder.
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

/** The mails that there would have been in each of those weeks, the latest last. */
export function mailsByWeek(days: readonly number[], frequency: Frequency): number[] {
  return weeksOf(days)
    .map((week) => mailsOf(week, frequency))
    .toReversed()
}

/** The weeks back from now, the latest first; the odd days before them are left out. */
function weeksOf(days: readonly number[]): number[][] {
  return Array.from({ length: WEEKS }, (_, n) => days.slice(DAYS - WEEK * (n + 1), DAYS - WEEK * n))
}

/** How many mails there would have been: one for each event, for each day with any, or for a week with any. */
function mailsOf(week: readonly number[], frequency: Frequency): number {
  const days = week.filter((events) => events > 0).length
  if (frequency === 'instant') return week.reduce((sum, events) => sum + events, 0)
  return Math.min(days, mailsMax[frequency])
}

/** The mean that recent weeks count more in, and how many equal weeks it is worth. */
function recentMean(weeks: readonly number[]): { mean: number; worth: number } {
  const weights = weeks.map((_, n) => 0.5 ** (n / HALF_LIFE_WEEKS))
  const sum = (of: (weight: number, n: number) => number) => weights.reduce((all, weight, n) => all + of(weight, n), 0)
  const total = sum((weight) => weight)
  return { mean: sum((weight, n) => weight * (weeks[n] ?? 0)) / total, worth: total ** 2 / sum((weight) => weight ** 2) }
}

function intervalOf(mean: number, variance: number, most: number): Interval {
  if (most !== Infinity) return likeliestCounts(betaBinomial(most, mean, variance), PROBABILITY)
  if (mean <= COUNTED_MAX) return likeliestCounts(negativeBinomial(mean, variance), PROBABILITY)
  // As the negative binomial, which is skewed: the logarithm is about normal.
  const width = Math.sqrt(Math.log1p(variance / mean ** 2))
  const middle = Math.log(mean) - width ** 2 / 2
  return { low: Math.round(Math.exp(middle - QUANTILE * width)), high: Math.round(Math.exp(middle + QUANTILE * width)) }
}
