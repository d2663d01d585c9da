/**
 * Issues, comments, questions and answers share these states. Only `passed` is public. `held` is the stored value for pending review
 * (`isPendingReview` in code); responses of the API say `moderated: true` for it.
 */
export const moderationStates = ['passed', 'held', 'rejected'] as const
export type ModerationState = (typeof moderationStates)[number]
