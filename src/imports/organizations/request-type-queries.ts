import Type, { type Static } from 'typebox'

import { Id, IdRow, nullable } from '../../database/columns.ts'
import { type Executable, sql } from '../../database/database.ts'
import type { OrganizationsReport } from './organizations-report.ts'
import type { Choice, QuestionInput } from './question-rows.ts'
import type { RequestTypeInput } from './request-type-rows.ts'

type Counts = Pick<OrganizationsReport, 'requestTypes' | 'questions'>

const TypeRow = Type.Object({
  id: Id,
  title: Type.String(),
  category: Type.String(),
  position: Type.Integer(),
  active: Type.Boolean(),
})

/** Writes types of the community if the organisation is null. The title identifies a type; missing types become inactive. */
export async function writeRequestTypes(
  db: Executable,
  organizationId: number | null,
  input: readonly RequestTypeInput[],
  counts: Counts,
): Promise<void> {
  const known = await db.query(
    TypeRow,
    sql`
      SELECT rt.id, rt.title, rt.category, rt.position, rt.active
      FROM request_types rt
      WHERE rt.organization_id IS NOT DISTINCT FROM ${organizationId}::integer
      ORDER BY rt.id`,
  )
  const listedIds = new Set<number>()
  for (const type of input) {
    const found = findByText(known, type.title, ({ title }) => title)
    const id = found ? await updateType(db, found, type, counts) : await addType(db, organizationId, type, counts)
    listedIds.add(id)
    await writeQuestions(db, id, type.questions, counts)
  }
  const retiredIds = known.filter(({ id, active }) => active && !listedIds.has(id)).map(({ id }) => id)
  if (retiredIds.length > 0)
    await db.execute(sql`UPDATE request_types rt SET active = false WHERE rt.id = ANY(${retiredIds}::integer[])`)
  counts.requestTypes.retired += retiredIds.length
}

async function addType(db: Executable, organizationId: number | null, type: RequestTypeInput, counts: Counts): Promise<number> {
  const [added] = await db.query(
    IdRow,
    sql`
      INSERT INTO request_types (organization_id, title, category, position)
      VALUES (${organizationId}, ${type.title}, ${type.category}, ${type.position}) RETURNING request_types.id`,
  )
  if (!added) throw new Error(`Adding the request type ${type.title} returned no row.`)
  counts.requestTypes.new++
  return added.id
}

async function updateType(db: Executable, found: Static<typeof TypeRow>, type: RequestTypeInput, counts: Counts): Promise<number> {
  const { id, title, category, position, active } = found
  const isSame = active && title === type.title && category === type.category && position === type.position
  if (!isSame) {
    await db.execute(sql`
      UPDATE request_types rt SET title = ${type.title}, category = ${type.category}, position = ${type.position}, active = true
      WHERE rt.id = ${id}`)
  }
  counts.requestTypes[isSame ? 'unchanged' : 'changed']++
  return id
}

const QuestionRow = Type.Object({
  id: Id,
  built_in: nullable(Type.String()),
  question: Type.String(),
  question_type: Type.String(),
  answer_kept_private: Type.Boolean(),
  response_required: Type.Boolean(),
  select_values: nullable(Type.Array(Type.Object({ key: Type.String(), name: Type.String() }))),
  position: Type.Integer(),
  active: Type.Boolean(),
})

/** The key identifies a built-in question, the text any other one, so that ids and answers remain. Others become inactive. */
async function writeQuestions(db: Executable, typeId: number, input: readonly QuestionInput[], counts: Counts): Promise<void> {
  const known = await db.query(
    QuestionRow,
    sql`
      SELECT q.id, q.built_in, q.question, q.question_type, q.answer_kept_private, q.response_required, q.select_values, q.position, q.active
      FROM request_type_questions q
      WHERE q.request_type_id = ${typeId}
      ORDER BY q.id`,
  )
  const own = known.filter(({ built_in }) => built_in === null)
  const listedIds = new Set<number>()
  for (const [position, question] of input.entries()) {
    const found = question.builtIn
      ? known.find(({ built_in }) => built_in === question.builtIn)
      : findByText(own, question.question, (one) => one.question)
    if (found) listedIds.add(found.id)
    const isSame = found !== undefined && isSameQuestion(found, question, position)
    if (!isSame) await writeQuestion(db, typeId, found?.id, question, position)
    counts.questions[isSame ? 'unchanged' : found ? 'changed' : 'new']++
  }
  const retiredIds = known.filter(({ id, active }) => active && !listedIds.has(id)).map(({ id }) => id)
  if (retiredIds.length > 0) {
    await db.execute(sql`UPDATE request_type_questions q SET active = false WHERE q.id = ANY(${retiredIds}::integer[])`)
  }
  counts.questions.retired += retiredIds.length
}

function isSameQuestion(found: Static<typeof QuestionRow>, input: QuestionInput, position: number): boolean {
  const toComparable = (choices: readonly Choice[] | null) => JSON.stringify(choices?.map(({ key, name }) => [key, name]) ?? null)
  return (
    found.active &&
    found.position === position &&
    found.question === input.question &&
    found.question_type === input.questionType &&
    found.answer_kept_private === input.answerKeptPrivate &&
    found.response_required === input.responseRequired &&
    toComparable(found.select_values) === toComparable(input.selectValues)
  )
}

async function writeQuestion(
  db: Executable,
  typeId: number,
  id: number | undefined,
  input: QuestionInput,
  position: number,
): Promise<void> {
  const { builtIn, question, questionType, answerKeptPrivate, responseRequired } = input
  const selectValues = input.selectValues && JSON.stringify(input.selectValues)
  if (id === undefined) {
    await db.execute(sql`
      INSERT INTO request_type_questions
        (request_type_id, built_in, question, question_type, answer_kept_private, response_required, select_values, position)
      VALUES (${typeId}, ${builtIn}, ${question}, ${questionType}, ${answerKeptPrivate}, ${responseRequired}, ${selectValues}::jsonb, ${position})`)
    return
  }
  await db.execute(sql`
    UPDATE request_type_questions q
    SET question = ${question}, question_type = ${questionType}, answer_kept_private = ${answerKeptPrivate},
      response_required = ${responseRequired}, select_values = ${selectValues}::jsonb, position = ${position}, active = true
    WHERE q.id = ${id}`)
}

/** An identical text precedes one that only differs in letter case. */
function findByText<Row>(rows: readonly Row[], text: string, textOf: (row: Row) => string): Row | undefined {
  return rows.find((row) => textOf(row) === text) ?? rows.find((row) => textOf(row).toLowerCase() === text.toLowerCase())
}
