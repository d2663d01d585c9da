import { isDeepStrictEqual } from 'node:util'

import { Prisma, type RequestType, type RequestTypeQuestion } from '../../../prisma/generated/client.ts'
import type { PrismaHandle } from '../../database/database.ts'
import type { OrganizationsReport } from './organizations-report.ts'
import { storedOtherType } from '../../request-types/other.ts'
import { builtIns, type QuestionInput } from './question-rows.ts'
import type { RequestTypeInput } from './request-type-rows.ts'

type Client = PrismaHandle['prisma']
type Counts = Pick<OrganizationsReport, 'requestTypes' | 'questions'>

/** Writes types of the community if the organisation is null. The title identifies a type; missing types become inactive. */
export async function writeRequestTypes(
  { prisma }: PrismaHandle,
  organizationId: number | null,
  input: readonly RequestTypeInput[],
  counts: Counts,
): Promise<void> {
  const known = await prisma.requestType.findMany({
    where: { organization_id: organizationId, is_other: false },
    orderBy: { id: 'asc' },
  })
  const listedIds = new Set<number>()
  for (const type of input) {
    const found = findByText(known, type.title, ({ title }) => title)
    const id = found ? await updateType(prisma, found, type, counts) : await addType(prisma, organizationId, type, counts)
    listedIds.add(id)
    await writeQuestions(prisma, id, type.questions, counts)
  }
  const retiredIds = known.filter(({ id, active }) => active && !listedIds.has(id)).map(({ id }) => id)
  await prisma.requestType.updateMany({ where: { id: { in: retiredIds } }, data: { active: false } })
  counts.requestTypes.retired += retiredIds.length
}

/** The position after all other types of the form. */
const LAST = 2_000_000

/** Adds or retires the type that takes reports of an unnamed kind. Once retired, it is a type like the others. */
export async function writeOtherType(
  { prisma }: PrismaHandle,
  organization_id: number,
  takesOther: boolean,
  counts: Counts,
): Promise<void> {
  const { title, language, translations, questions } = storedOtherType
  const known = await prisma.requestType.findFirst({
    where: { organization_id, OR: [{ is_other: true }, ...(takesOther ? [{ title }] : [])] },
    orderBy: { is_other: 'desc' },
  })
  if (!takesOther && !known) return
  const isSame = takesOther && known?.is_other === true && known.active
  const texts = { title, language, translations }
  const data = { ...texts, category: 'other', position: LAST, is_other: takesOther, active: takesOther }
  const written = isSame ? known : known ? await prisma.requestType.update({ where: { id: known.id }, data }) : undefined
  const { id } = written ?? (await prisma.requestType.create({ data: { organization_id, ...data } }))
  counts.requestTypes[isSame ? 'unchanged' : !takesOther ? 'retired' : known ? 'changed' : 'new']++
  if (takesOther) await writeQuestions(prisma, id, questions.map(toQuestionInput), counts)
}

const toQuestionInput = (stored: (typeof storedOtherType.questions)[number]): QuestionInput => ({
  path: '',
  builtIn: builtIns.find((name) => name === stored.primary_key) ?? null,
  question: stored.question,
  questionType: stored.question_type,
  responseRequired: stored.response_required,
  answerKeptPrivate: false,
  selectValues: null,
  translations: stored.translations,
})

export async function addType(
  prisma: Client,
  organization_id: number | null,
  type: RequestTypeInput,
  counts: Counts,
): Promise<number> {
  const { id } = await prisma.requestType.create({ data: { organization_id, ...typeColumns(type) }, select: { id: true } })
  counts.requestTypes.new++
  return id
}

export async function updateType(prisma: Client, found: RequestType, type: RequestTypeInput, counts: Counts): Promise<number> {
  const { id, active } = found
  const { title, language, category, position } = type
  const isSame =
    active &&
    title === found.title &&
    language === found.language &&
    category === found.category &&
    position === found.position &&
    isDeepStrictEqual(found.translations, type.translations)
  if (!isSame) await prisma.requestType.updateMany({ where: { id }, data: { ...typeColumns(type), active: true } })
  counts.requestTypes[isSame ? 'unchanged' : 'changed']++
  return id
}

const typeColumns = ({ title, language, translations, category, position }: RequestTypeInput) => ({
  ...{ title, language, category, position },
  translations: translations ?? Prisma.DbNull,
})

/** The key identifies a built-in question, the text any other one, so that ids and answers remain. Others become inactive. */
export async function writeQuestions(
  prisma: Client,
  typeId: number,
  input: readonly QuestionInput[],
  counts: Counts,
): Promise<void> {
  const known = await prisma.requestTypeQuestion.findMany({ where: { request_type_id: typeId }, orderBy: { id: 'asc' } })
  const own = known.filter(({ built_in }) => built_in === null)
  const listedIds = new Set<number>()
  for (const [position, question] of input.entries()) {
    const found = question.builtIn
      ? known.find(({ built_in }) => built_in === question.builtIn)
      : findByText(own, question.question, (one) => one.question)
    if (found) listedIds.add(found.id)
    const isSame = found !== undefined && isSameQuestion(found, question, position)
    if (!isSame) await writeQuestion(prisma, typeId, found?.id, question, position)
    counts.questions[isSame ? 'unchanged' : found ? 'changed' : 'new']++
  }
  const retiredIds = known.filter(({ id, active }) => active && !listedIds.has(id)).map(({ id }) => id)
  await prisma.requestTypeQuestion.updateMany({ where: { id: { in: retiredIds } }, data: { active: false } })
  counts.questions.retired += retiredIds.length
}

function isSameQuestion(found: RequestTypeQuestion, input: QuestionInput, position: number): boolean {
  return (
    found.active &&
    found.position === position &&
    found.question === input.question &&
    found.question_type === input.questionType &&
    found.answer_kept_private === input.answerKeptPrivate &&
    found.response_required === input.responseRequired &&
    isDeepStrictEqual(found.select_values, toChoices(input)) &&
    isDeepStrictEqual(found.translations, input.translations)
  )
}

const toChoices = ({ selectValues }: QuestionInput) => selectValues?.map(({ key, name }) => ({ key, name })) ?? null

async function writeQuestion(
  prisma: Client,
  request_type_id: number,
  id: number | undefined,
  input: QuestionInput,
  position: number,
): Promise<void> {
  const row = {
    question: input.question,
    question_type: input.questionType,
    answer_kept_private: input.answerKeptPrivate,
    response_required: input.responseRequired,
    select_values: toChoices(input) ?? Prisma.DbNull,
    translations: input.translations ?? Prisma.DbNull,
    position,
  }
  if (id === undefined) await prisma.requestTypeQuestion.create({ data: { request_type_id, built_in: input.builtIn, ...row } })
  else await prisma.requestTypeQuestion.updateMany({ where: { id }, data: { ...row, active: true } })
}

/** An identical text precedes one that only differs in letter case. */
function findByText<Row>(rows: readonly Row[], text: string, textOf: (row: Row) => string): Row | undefined {
  return rows.find((row) => textOf(row) === text) ?? rows.find((row) => textOf(row).toLowerCase() === text.toLowerCase())
}
