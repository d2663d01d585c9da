import type { Edits } from './decide-queries.ts'
import type { Approval, Rejection } from './schema.ts'

/** What a moderator wrote instead, as it is kept: without blanks around it. */
export function editsOf({ summary, description, address, comment }: Approval): Edits {
  return {
    summary: summary?.trim(),
    description: description === undefined ? undefined : description?.trim() || null,
    address: address?.trim(),
    comment: comment?.trim(),
  }
}

export const reasonOf = ({ reason }: Rejection): string | null => reason?.trim() || null
