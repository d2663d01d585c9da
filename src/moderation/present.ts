import type { Viewer } from '../http/auth/authentication.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { toUserSummary } from '../users/present.ts'
import type { ItemRow } from './item-queries.ts'
import type { ModerationItem } from './schema.ts'
import type { Subjects } from './subjects.ts'

/** Authors see the decision and the reason of a rejection, but neither the reasons for the review nor the moderator. */
export function toModerationItem(row: ItemRow, subjects: Subjects, viewer: Viewer, urls: Urls): ModerationItem {
  const { id, subject_id, state, decided_by, may_decide } = row
  const mayDecide = may_decide && state === 'held' && row.author_id !== viewer.id
  return {
    id,
    subject_type: row.subject_type,
    subject: subjects[row.subject_type].get(subject_id) ?? null,
    reasons: may_decide ? [...row.reasons] : null,
    original: { ...row.original },
    // Clients of the API know the requested transition by this name.
    requested_move: row.requested_transition,
    state,
    decided_by: may_decide && decided_by ? toUserSummary(decided_by, urls) : null,
    decided_at: toNullableTimestamp(row.decided_at),
    created_at: toTimestamp(row.created_at),
    note: may_decide ? row.note : null,
    rejection_reason: row.rejection_reason,
    approve_url: mayDecide ? urls.api(`/moderation/${id}/approve`) : null,
    reject_url: mayDecide ? urls.api(`/moderation/${id}/reject`) : null,
  }
}
