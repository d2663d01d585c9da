import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum } from '../database/columns.ts'
import { empty, type Sql, sql, type Transaction } from '../database/database.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import type { Edits } from './decide-queries.ts'

export const findQuestionForDecision = (tx: Transaction, id: number) =>
  tx.prisma.question.findUnique({ where: { id }, select: { moderation_state: true, asker_id: true } })

const AnswerForDecision = Type.Object({
  moderation_state: stringEnum(moderationStates),
  question_id: Id,
  answerer_id: nullable(Id),
  question_state: stringEnum(moderationStates),
})

export async function findAnswerForDecision(tx: Transaction, id: number): Promise<Static<typeof AnswerForDecision> | undefined> {
  const [answer] = await tx.query(
    AnswerForDecision,
    sql`
      SELECT a.moderation_state, a.question_id, a.answerer_id, q.moderation_state AS question_state
      FROM answers a
      JOIN questions q ON q.id = a.question_id
      WHERE a.id = ${id}`,
  )
  return answer
}

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
