import Type from 'typebox'

export const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
export type Status = (typeof statuses)[number]

export const IssueStatus = Type.Unsafe<Status>({ type: 'string', enum: statuses })

export const IssueRating = Type.String({
  pattern: '^\\d+$',
  description: '1, and 1 for each vote, and 1 once acknowledged.',
  examples: ['2'],
})
