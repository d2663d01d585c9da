import { empty, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Edits } from './decide-queries.ts'

export const findQuestionForDecision = (tx: Transaction, id: number) =>
  tx.prisma.question.findUnique({ where: { id }, select: { moderation_state: true, asker_id: true } })

export const findAnswerForDecision = (tx: Transaction, id: number) =>
  tx.prisma.answer.findUnique({
    where: { id },
    select: {
      moderation_state: true,
      question_id: true,
      answerer_id: true,
      community_question: { select: { moderation_state: true } },
    },
  })

const assignment = (column: Sql, text: string | undefined) => (text === undefined ? empty : sql`, ${column} = ${text}`)

/** Updates the row only; `publishQuestion` does the rest. */
export async function markQuestionPassed(tx: Transaction, id: number, now: Date, edits: Edits): Promise<void> {
  await tx.prisma.question.updateMany({
    where: { id },
    data: { moderation_state: 'passed', created_at: now, updated_at: now, ...edits },
  })
}

export async function editQuestion(tx: Transaction, id: number, now: Date, { question }: Edits): Promise<void> {
  await tx.execute(sql`
    UPDATE questions q SET updated_at = greatest(q.updated_at, ${now.toISOString()}::timestamptz)${assignment(sql`question`, question)}
    WHERE q.id = ${id}`)
}

/** Updates the row only; `publishAnswer` does the rest. */
export async function markAnswerPassed(tx: Transaction, id: number, now: Date, edits: Edits): Promise<void> {
  await tx.prisma.answer.updateMany({
    where: { id },
    data: { moderation_state: 'passed', created_at: now, updated_at: now, ...edits },
  })
}

export async function editAnswer(tx: Transaction, id: number, now: Date, { answer }: Edits): Promise<void> {
  await tx.execute(sql`
    UPDATE answers a SET updated_at = greatest(a.updated_at, ${now.toISOString()}::timestamptz)${assignment(sql`answer`, answer)}
    WHERE a.id = ${id}`)
}
