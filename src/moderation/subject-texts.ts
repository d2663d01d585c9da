import type { SubjectType } from '../content-policy/schema.ts'
import { type PrismaHandle, sql } from '../database/database.ts'

export const editableFields = {
  issue: ['summary', 'description', 'address'],
  comment: ['comment'],
  question: ['question'],
  answer: ['answer'],
  user: ['name'],
} as const

/** Selects the author for a row `item` of moderation_items, even of an anonymous report; null if account or subject was deleted. */
export const itemAuthorId = sql`
  CASE item.subject_type
    WHEN 'issue' THEN (SELECT i.reporter_id FROM issues i WHERE i.id = item.subject_id)
    WHEN 'comment' THEN (SELECT c.commenter_id FROM comments c WHERE c.id = item.subject_id)
    WHEN 'question' THEN (SELECT q.asker_id FROM questions q WHERE q.id = item.subject_id)
    WHEN 'answer' THEN (SELECT a.answerer_id FROM answers a WHERE a.id = item.subject_id)
    WHEN 'user' THEN (SELECT u.id FROM users u WHERE u.id = item.subject_id) END`

/** Returns the texts of a subject that other users see, those of the form of a report last. */
export async function listPublicTexts(
  { prisma }: PrismaHandle,
  { subject_type, subject_id }: { readonly subject_type: SubjectType; readonly subject_id: number },
): Promise<string[]> {
  const where = { id: subject_id }
  switch (subject_type) {
    case 'issue': {
      const found = await prisma.issue.findUnique({ where, select: { summary: true, description: true, address: true } })
      const answers = await prisma.issueAnswer.findMany({
        where: { issue_id: subject_id, answer_kept_private: false },
        orderBy: [{ position: 'asc' }, { id: 'asc' }],
        select: { answer: true },
      })
      return [found?.summary, found?.description, found?.address, ...answers.map(({ answer }) => answer)].flatMap(
        (text) => text ?? [],
      )
    }
    case 'comment':
      return Object.values((await prisma.comment.findUnique({ where, select: { comment: true } })) ?? {})
    case 'question':
      return Object.values((await prisma.question.findUnique({ where, select: { question: true } })) ?? {})
    case 'answer':
      return Object.values((await prisma.answer.findUnique({ where, select: { answer: true } })) ?? {})
    case 'user':
      return Object.values((await prisma.user.findUnique({ where, select: { name: true } })) ?? {})
  }
}
