import type { Transaction } from '../database/database.ts'
import type { Edits } from './decide-queries.ts'

export const findQuestionForDecision = (tx: Transaction, id: number) =>
  tx.prisma.question.findUnique({ where: { id }, select: { moderation_state: true, asker_id: true, updated_at: true } })

export const findAnswerForDecision = (tx: Transaction, id: number) =>
  tx.prisma.answer.findUnique({
    where: { id },
    select: {
      moderation_state: true,
      question_id: true,
      answerer_id: true,
      updated_at: true,
      community_question: { select: { moderation_state: true } },
    },
  })

/** Updates the row only; `publishQuestion` does the rest. */
export async function markQuestionPassed(tx: Transaction, id: number, now: Date, edits: Edits): Promise<void> {
  await tx.prisma.question.updateMany({
    where: { id },
    data: { moderation_state: 'passed', created_at: now, updated_at: now, ...edits },
  })
}

export async function editQuestion(tx: Transaction, id: number, updated_at: Date, edits: Edits): Promise<void> {
  await tx.prisma.question.updateMany({ where: { id }, data: { ...edits, updated_at } })
}

/** Updates the row only; `publishAnswer` does the rest. */
export async function markAnswerPassed(tx: Transaction, id: number, now: Date, edits: Edits): Promise<void> {
  await tx.prisma.answer.updateMany({
    where: { id },
    data: { moderation_state: 'passed', created_at: now, updated_at: now, ...edits },
  })
}

export async function editAnswer(tx: Transaction, id: number, updated_at: Date, edits: Edits): Promise<void> {
  await tx.prisma.answer.updateMany({ where: { id }, data: { ...edits, updated_at } })
}
