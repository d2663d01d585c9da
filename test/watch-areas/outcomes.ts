/** Whether the number of mails of a week lay in the forecast interval, and how many events the weeks before had. */
export interface Outcome {
  readonly held: boolean
  readonly usual: number
}

export const shareThatHeld = (outcomes: readonly Outcome[]) => outcomes.filter(({ held }) => held).length / outcomes.length
