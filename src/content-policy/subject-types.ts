export const subjectTypes = ['issue', 'comment', 'question', 'answer'] as const
export type SubjectType = (typeof subjectTypes)[number]
