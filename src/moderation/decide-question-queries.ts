import { empty, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Edits, ModerationState } from './decide-queries.ts'

export interface QuestionToDecideOn {
  readonly moderation_state: ModerationState
  readonly asker_id: number | null
}

export async function findQuestionToDecideOn(tx: Transaction, id: number): Promise<QuestionToDecideOn | undefined> {
  const [question] = await tx.query<QuestionToDecideOn>(sql`
    SELECT q.moderation_state, q.asker_id FROM questions q WHERE q.id = ${id}`)
  return question
}

export interface AnswerToDecideOn {
  readonly moderation_state: ModerationState
  readonly question_id: number
  readonly answerer_id: number | null
  readonly question_state: ModerationState
}

export async function findAnswerToDecideOn(tx: Transaction, id: number): Promise<AnswerToDecideOn | undefined> {
  const [answer] = await tx.query<AnswerToDecideOn>(sql`
    SELECT a.moderation_state, a.question_id, a.answerer_id, q.moderation_state AS question_state
    FROM answers a JOIN questions q ON q.id = a.question_id WHERE a.id = ${id}`)
  return answer
}

const written = (column: Sql, text: string | undefined) => (text === undefined ? empty : sql`, ${column} = ${text}`)

/** The text alone; what follows when a question shows is the matter of `publishQuestion`. */
export async function showQuestion(tx: Transaction, id: number, at: Date, { question }: Edits): Promise<void> {
  const now = at.toISOString()
  await tx.query(sql`
    UPDATE questions q
    SET moderation_state = 'passed', created_at = ${now}::timestamptz, updated_at = ${now}::timestamptz${written(sql`question`, question)}
    WHERE q.id = ${id} RETURNING q.id`)
}

/** What is public already, and stays. */
export async function editQuestion(tx: Transaction, id: number, at: Date, { question }: Edits): Promise<void> {
  await tx.query(sql`
    UPDATE questions q SET updated_at = greatest(q.updated_at, ${at.toISOString()}::timestamptz)${written(sql`question`, question)}
    WHERE q.id = ${id} RETURNING q.id`)
}

/** The same of an answer and `publishAnswer`. */
export async function showAnswer(tx: Transaction, id: number, at: Date, { answer }: Edits): Promise<void> {
  const now = at.toISOString()
  await tx.query(sql`
    UPDATE answers a
    SET moderation_state = 'passed', created_at = ${now}::timestamptz, updated_at = ${now}::timestamptz${written(sql`answer`, answer)}
    WHERE a.id = ${id} RETURNING a.id`)
}

export async function editAnswer(tx: Transaction, id: number, at: Date, { answer }: Edits): Promise<void> {
  await tx.query(sql`
    UPDATE answers a SET updated_at = greatest(a.updated_at, ${at.toISOString()}::timestamptz)${written(sql`answer`, answer)}
    WHERE a.id = ${id} RETURNING a.id`)
}
