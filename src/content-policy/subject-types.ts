/** The types of contributions that moderators decide on. */
export const subjectTypes = ['issue', 'comment', 'question', 'answer'] as const
export type SubjectType = (typeof subjectTypes)[number]
