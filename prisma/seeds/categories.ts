import type { Category } from '../../src/issues/categories.ts'

export { categories, type Category } from '../../src/issues/categories.ts'

export interface CategoryProfile {
  /** Relative frequency of reports. */
  readonly weight: number
  readonly medianClosing_days: number
  /** Factor for the number of votes and comments. */
  readonly interest: number
}

export const categoryProfiles: Readonly<Record<Category, CategoryProfile>> = {
  pothole: { weight: 17, medianClosing_days: 8, interest: 1.4 },
  graffiti: { weight: 9, medianClosing_days: 6, interest: 0.7 },
  'street-light': { weight: 9, medianClosing_days: 15, interest: 1.1 },
  dumping: { weight: 9, medianClosing_days: 7, interest: 1 },
  trash: { weight: 10, medianClosing_days: 3, interest: 0.6 },
  sidewalk: { weight: 8, medianClosing_days: 45, interest: 1.3 },
  tree: { weight: 7, medianClosing_days: 20, interest: 0.9 },
  'traffic-signal': { weight: 4, medianClosing_days: 4, interest: 1.4 },
  sign: { weight: 4, medianClosing_days: 14, interest: 0.7 },
  water: { weight: 5, medianClosing_days: 6, interest: 1.2 },
  noise: { weight: 4, medianClosing_days: 12, interest: 1 },
  vehicle: { weight: 7, medianClosing_days: 10, interest: 0.6 },
  parking: { weight: 6, medianClosing_days: 5, interest: 0.7 },
  park: { weight: 4, medianClosing_days: 18, interest: 1.1 },
  snow: { weight: 8, medianClosing_days: 2, interest: 0.8 },
  other: { weight: 3, medianClosing_days: 25, interest: 1.2 },
}

/** December to March; `Date` counts months from 0. */
export const snowMonths: readonly number[] = [11, 0, 1, 2]
