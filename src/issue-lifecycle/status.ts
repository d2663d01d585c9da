import Type from 'typebox'

export const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
export type Status = (typeof statuses)[number]

export const IssueStatus = Type.Unsafe<Status>({ type: 'string', enum: statuses })

export const IssueRating = Type.String({
  pattern: '^\\d+$',
  description:
    'The base rating, plus 1 for each vote, plus 1 once the issue is acknowledged. The base rating is 1 or comes from an import.',
  examples: ['2'],
})

/**
 * Issues, comments, questions and answers share these states. Only `passed` is public. What is `held` waits for automatic checks or a
 * moderator; responses of the API say `moderated: true` for it.
 */
export const moderationStates = ['passed', 'held', 'rejected'] as const
export type ModerationState = (typeof moderationStates)[number]
