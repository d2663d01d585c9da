import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp } from '../../http/schema/fields.ts'
import { type Outcome, outcomes, statuses } from '../../issue-lifecycle/status.ts'
import { pointFeature } from './schema.ts'

export const historyRoles = ['resident', 'employee', 'system'] as const

/** The properties are flat, like those of issues. The words `from` and `to` alone would need quotes in SQL. */
export const HistoryProperties = Type.Object(
  {
    id: { ...Id, description: 'The id of the change. Later changes have greater ids.' },
    issue_id: { ...Id, description: 'The issue; the geometry is its point.' },
    from_status: stringEnum(statuses, { description: 'The status before the change.', examples: ['Open'] }),
    to_status: stringEnum(statuses, { description: 'The status after the change.', examples: ['Closed'] }),
    at: { ...Timestamp, description: 'The time of the change.' },
    actor_role: nullable(
      Type.Unsafe<(typeof historyRoles)[number]>({
        type: 'string',
        enum: [...historyRoles, null],
        description:
          'Who made the change, as the page of the issue shows it: an employee, a resident, or the service itself. Null if the page does not show it.',
      }),
      { examples: ['resident'] },
    ),
    outcome: nullable(
      Type.Unsafe<Outcome>({
        type: 'string',
        enum: [...outcomes, null],
        description: 'Why the issue was closed; null for other changes and for a closing that did not say it.',
      }),
      { examples: ['reported_fixed'] },
    ),
  },
  { title: 'HistoryProperties' },
)
export type HistoryProperties = Static<typeof HistoryProperties>

export const HistoryFeature = pointFeature(HistoryProperties, 'HistoryFeature')
export type HistoryFeature = Static<typeof HistoryFeature>
