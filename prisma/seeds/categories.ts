import type { Category } from '../../src/issues/categories.ts'

export { categories, type Category } from '../../src/issues/categories.ts'

export interface Habits {
  /** Relative frequency of reports. */
  readonly weight: number
  /** Half of what gets done at all is done after so many days. */
  readonly halfDone_days: number
  /** Factor for the number of votes and comments. */
  readonly interest: number
}

export const habits: Readonly<Record<Category, Habits>> = {
  pothole: { weight: 17, halfDone_days: 8, interest: 1.4 },
  graffiti: { weight: 9, halfDone_days: 6, interest: 0.7 },
  'street-light': { weight: 9, halfDone_days: 15, interest: 1.1 },
  dumping: { weight: 9, halfDone_days: 7, interest: 1 },
  trash: { weight: 10, halfDone_days: 3, interest: 0.6 },
  sidewalk: { weight: 8, halfDone_days: 45, interest: 1.3 },
  tree: { weight: 7, halfDone_days: 20, interest: 0.9 },
  'traffic-signal': { weight: 4, halfDone_days: 4, interest: 1.4 },
  sign: { weight: 4, halfDone_days: 14, interest: 0.7 },
  water: { weight: 5, halfDone_days: 6, interest: 1.2 },
  noise: { weight: 4, halfDone_days: 12, interest: 1 },
  vehicle: { weight: 7, halfDone_days: 10, interest: 0.6 },
  parking: { weight: 6, halfDone_days: 5, interest: 0.7 },
  park: { weight: 4, halfDone_days: 18, interest: 1.1 },
  snow: { weight: 8, halfDone_days: 2, interest: 0.8 },
  other: { weight: 3, halfDone_days: 25, interest: 1.2 },
}

/** December to March, as `Date` counts months. */
export const snowMonths: readonly number[] = [11, 0, 1, 2]
