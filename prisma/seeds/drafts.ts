import type { Category } from './categories.ts'
import type { City } from './cities/city.ts'
import type { GivenAnswer, RequestType } from './organizations.ts'
import type { Person } from './person.ts'
import type { Spot } from './spots.ts'
import type { Report } from './texts.ts'

export type Status = 'Open' | 'Acknowledged' | 'Closed' | 'Archived'

/** All times are milliseconds since 1970, whole seconds. */
export interface DraftComment {
  readonly by: Person
  readonly at: number
  readonly text: string
  readonly locale: 'en' | 'es'
  readonly held?: true
}

/** A row of the history. Archiving has neither an actor nor a comment; the first row says who reported it. */
export interface Move {
  readonly from: Status | null
  readonly to: Status
  readonly at: number
  readonly by: Person | undefined
  readonly comment: DraftComment | undefined
}

export interface Life {
  readonly status: Status
  readonly acknowledgedAt: number | null
  readonly closedAt: number | null
  readonly reopenedAt: number | null
  readonly moves: readonly Move[]
  readonly assignee: Person | undefined
}

export interface DraftIssue extends Life {
  readonly city: City
  readonly spot: Spot
  readonly category: Category
  readonly requestType: RequestType | undefined
  readonly report: Report
  readonly reporter: Person
  readonly anonymous: boolean
  readonly held: boolean
  readonly createdAt: number
  readonly answers: readonly GivenAnswer[]
  /** The number of a work order in the city's own system, where it has one. */
  readonly workOrder: number | undefined
  /** All comments in order of time, those of transitions included. */
  readonly comments: readonly DraftComment[]
  readonly votes: ReadonlyMap<Person, number>
  readonly follows: ReadonlyMap<Person, number>
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
