import { toNullableTimestamp } from '../../http/schema/fields.ts'
import { describeTarget } from '../targets/describe-target.ts'
import type { WorkIssue } from './schema.ts'
import type { WorkRow } from './worklist.ts'

/** Returns the fields that the list of staff adds to an issue. */
export function toWorkFields(
  row: WorkRow,
  now: Date,
): Pick<WorkIssue, 'version' | 'priority' | 'assignee' | 'vote_count' | 'notes_count' | 'target'> {
  const next = toDueTarget(row)
  const { version, priority, assignee, vote_count, notes_count, has_target, reason, due } = row
  return {
    ...{ version, priority, assignee, vote_count, notes_count },
    target: has_target
      ? {
          acknowledge_by: toNullableTimestamp(row.acknowledge_by),
          close_by: toNullableTimestamp(row.close_by),
          paused_at: toNullableTimestamp(row.paused_at),
          reason,
          due,
          due_at: toNullableTimestamp(row.due_at),
          state: next ? describeTarget(next, now, 'en').state : null,
        }
      : null,
  }
}

/** Returns undefined for an issue without a step that is due. */
export const toDueTarget = ({ due_at, due, paused_at }: WorkRow) =>
  due_at === null || due === null ? undefined : { due_at, due, paused_at }
