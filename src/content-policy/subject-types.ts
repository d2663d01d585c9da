export const subjectTypes = ['issue', 'comment', 'question', 'answer', 'user'] as const
export type SubjectType = (typeof subjectTypes)[number]
