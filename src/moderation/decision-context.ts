import type { LockedItem, Edits } from './decide-queries.ts'

export interface DecisionContext {
  readonly item: LockedItem
  readonly now: Date
  readonly edits: Edits
  readonly request_id?: string | undefined
}
