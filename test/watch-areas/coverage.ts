/** Whether the number of mails of a week lay in the forecast interval, and how many events the weeks before had. */
export interface Outcome {
  readonly isCovered: boolean
  readonly usual: number
}

export const coveredShare = (outcomes: readonly Outcome[]) => outcomes.filter(({ isCovered }) => isCovered).length / outcomes.length
