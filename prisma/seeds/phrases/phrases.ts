/**
 * One kind of problem as people tell it: a summary, and a description of one to three sentences (what is there, why it matters,
 * what is asked). Names in braces are filled in from the spot: {street}, {cross} (a street that crosses nearby), {hood}, {near},
 * {park}; {2-5} is a whole number from 2 to 5.
 */
export interface Scene {
  readonly summaries: readonly string[]
  readonly seen: readonly string[]
  readonly matters: readonly string[]
  readonly asked: readonly string[]
  /** Comments of the city when it is done. */
  readonly fixed: readonly string[]
}

export interface Phrases {
  readonly scenes: readonly Scene[]
  /** Comments of the city when it acknowledges an issue. */
  readonly acknowledged: readonly string[]
}
