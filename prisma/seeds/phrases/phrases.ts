import type { employeeOutcomes } from '../../../src/issue-lifecycle/status.ts'
import type { Category } from '../../../src/issues/categories.ts'
import conversation from './conversation.json' with { type: 'json' }
import names from './names.json' with { type: 'json' }
import reports from './reports.json' with { type: 'json' }
import spanish from './spanish.json' with { type: 'json' }
import work from './work.json' with { type: 'json' }

/**
 * Texts about one kind of problem: summaries, and sentences of a description. Placeholders in braces are filled in from the spot:
 * {street}, {cross} (a street that crosses nearby), {hood}, {near} (a landmark), {park}; {2-5} is an integer from 2 to 5.
 */
interface Scene {
  readonly summaries: readonly string[]
  readonly observations: readonly string[]
  readonly reasons: readonly string[]
  readonly requests: readonly string[]
  readonly closingComments: readonly string[]
}

interface Phrases {
  readonly scenes: readonly Scene[]
  readonly acknowledgements: readonly string[]
}

export const phrases: Readonly<Record<Category, Phrases>> = reports

interface SpanishPhrases {
  readonly summaries: readonly string[]
  readonly descriptions: readonly string[]
}

/** Some reports are in Spanish, so that the demo has a second locale and words with accents. */
export const spanishPhrases: Partial<Record<Category, SpanishPhrases>> = spanish.reports
export const spanishClosingComments: readonly string[] = spanish.closingComments

/** Comments, and questions with answers; {city}, {street} and {park} are placeholders. The first answer gets the most votes. */
export const {
  residentComments,
  reporterComments,
  officialComments,
  residentClosingComments,
  residentReopeningComments,
  questions: communityQuestions,
} = conversation

export const firstNames: readonly string[] = names.firstNames.split(' ')
export const lastNames: readonly string[] = names.lastNames.split(' ')

export interface StaffTemplate {
  readonly title: string
  readonly status: string
  readonly outcome: (typeof employeeOutcomes)[number] | null
  readonly texts: Readonly<Record<'en' | 'es' | 'fr', string>>
}

/** Texts of staff: answers, notes and reasons of transfers; `{number}` is the number of another issue. Targets are in working hours. */
export const staffTexts = { ...work, templates: work.templates as readonly StaffTemplate[] }

/** @throws Error if no template has the outcome */
export function templateFor(outcome: StaffTemplate['outcome']): StaffTemplate {
  const template = staffTexts.templates.find((one) => one.outcome === outcome)
  if (!template) throw new Error(`work.json has no template for ${outcome}`)
  return template
}
