export interface Outcome {
  /** True if the number of mails of a week was in the forecast interval. */
  readonly isCovered: boolean
  /** Number of events in the previous weeks. */
  readonly usual: number
}

export const coveredShare = (outcomes: readonly Outcome[]) => outcomes.filter(({ isCovered }) => isCovered).length / outcomes.length
