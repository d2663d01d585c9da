import type { Category } from './categories.ts'
import type { City } from './cities/city.ts'
import type { Outcome } from '../../src/issue-lifecycle/status.ts'
import type { FormAnswer, Organization, RequestType } from './organizations.ts'
import type { Person } from './person.ts'
import type { Spot } from './spots.ts'
import type { Report } from './texts.ts'

export type Status = 'Open' | 'Acknowledged' | 'Closed' | 'Archived'

/** Times are Unix times in milliseconds, rounded to seconds. */
export interface DraftComment {
  readonly by: Person
  readonly at: number
  readonly text: string
  readonly locale: 'en' | 'es'
  readonly isHeld?: true
}

/** A row of the history. Archiving has neither an actor nor a comment; the actor of the first row is the reporter. */
export interface StatusChange {
  readonly from: Status | null
  readonly to: Status
  readonly at: number
  readonly by: Person | undefined
  readonly comment: DraftComment | undefined
  /** Only closings have one. */
  readonly outcome?: Outcome
  readonly passedOnTo?: string
}

export interface Lifecycle {
  readonly status: Status
  readonly acknowledgedAt: number | null
  readonly closedAt: number | null
  readonly reopenedAt: number | null
  readonly statusChanges: readonly StatusChange[]
  readonly assignee: Person | undefined
}

export interface DraftIssue extends Lifecycle {
  readonly city: City
  readonly spot: Spot
  readonly category: Category
  readonly requestType: RequestType | undefined
  readonly report: Report
  readonly reporter: Person
  readonly anonymous: boolean
  readonly isHeld: boolean
  readonly createdAt: number
  readonly answers: readonly FormAnswer[]
  /** The number of a work order in the city's system. */
  readonly workOrder: number | undefined
  readonly comments: readonly DraftComment[]
  readonly votes: ReadonlyMap<Person, number>
  readonly follows: ReadonlyMap<Person, number>
  readonly priority?: number
  readonly notes?: readonly { readonly by: Person; readonly at: number; readonly text: string }[]
  readonly transfer?: DraftTransfer
  readonly merge?: DraftMerge
  readonly closingAnswers?: readonly DraftClosingAnswer[]
}

export interface DraftTransfer {
  readonly from: Organization
  readonly to: Organization
  readonly state: 'offered' | 'accepted' | 'refused'
  readonly offeredAt: number
  readonly reason: string
}

export interface DraftMerge {
  readonly into: DraftIssue
  readonly at: number
  readonly by: Person
  /** The reporter of the duplicate did not follow the other issue before. */
  readonly carried: boolean
}

export interface DraftClosingAnswer {
  readonly closing: StatusChange
  readonly by: Person
  readonly at: number
  readonly isFixed: boolean
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
