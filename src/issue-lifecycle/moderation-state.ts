/** Only `passed` is public. Issues, comments, questions and answers share these states. */
export const moderationStates = ['passed', 'held', 'rejected'] as const
export type ModerationState = (typeof moderationStates)[number]
