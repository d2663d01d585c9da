/**
 * Texts about one kind of problem: summaries, and sentences of a description. Placeholders in braces are filled in from the spot:
 * {street}, {cross} (a street that crosses nearby), {hood}, {near} (a landmark), {park}; {2-5} is an integer from 2 to 5.
 */
export interface Scene {
  readonly summaries: readonly string[]
  readonly observations: readonly string[]
  readonly reasons: readonly string[]
  readonly requests: readonly string[]
  readonly closingComments: readonly string[]
}

export interface Phrases {
  readonly scenes: readonly Scene[]
  readonly acknowledgements: readonly string[]
}
