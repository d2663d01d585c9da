import { isDeepStrictEqual } from 'node:util'

import { Prisma, type RequestType, type RequestTypeQuestion } from '../../../prisma/generated/client.ts'
import type { PrismaHandle } from '../../database/database.ts'
import type { OrganizationsReport } from './organizations-report.ts'
import { storedOtherType } from '../../request-types/other.ts'
import { builtIns } from './document-schema.ts'
import type { QuestionInput, RequestTypeInput } from './request-type-rows.ts'

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

const toQuestionInput = ({ primary_key, ...stored }: (typeof storedOtherType.questions)[number]): QuestionInput => ({
  ...stored,
  built_in: builtIns.find((name) => name === primary_key) ?? null,
})

export async function addType(
  prisma: Client,
  organization_id: number | null,
  type: RequestTypeInput,
  counts: Counts,
): Promise<number> {
  const { id } = await prisma.requestType.create({
    data: { organization_id, ...typeColumns(type), translations: type.translations ?? Prisma.DbNull },
    select: { id: true },
  })
  counts.requestTypes.new++
  return id
}

export async function updateType(prisma: Client, found: RequestType, type: RequestTypeInput, counts: Counts): Promise<number> {
  const { id, active } = found
  const row = typeColumns(type)
  const isSame = active && isDeepStrictEqual(typeColumns(found), row)
  if (!isSame)
    await prisma.requestType.updateMany({
      where: { id },
      data: { ...row, translations: row.translations ?? Prisma.DbNull, active: true },
    })
  counts.requestTypes[isSame ? 'unchanged' : 'changed']++
  return id
}

const typeColumns = <Type extends RequestTypeInput | RequestType>({ title, language, translations, category, position }: Type) => ({
  ...{ title, language, category, position },
  translations: translations as Type['translations'],
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
    const found = question.built_in
      ? known.find(({ built_in }) => built_in === question.built_in)
      : findByText(own, question.question, (one) => one.question)
    if (found) listedIds.add(found.id)
    const row = questionColumns(question, position)
    const isSame = found !== undefined && isDeepStrictEqual(questionColumns(found, found.position), row) && found.active
    const data = { ...row, select_values: row.select_values ?? Prisma.DbNull, translations: row.translations ?? Prisma.DbNull }
    if (!found) await prisma.requestTypeQuestion.create({ data: { request_type_id: typeId, built_in: question.built_in, ...data } })
    else if (!isSame) await prisma.requestTypeQuestion.update({ where: { id: found.id }, data: { ...data, active: true } })
    counts.questions[isSame ? 'unchanged' : found ? 'changed' : 'new']++
  }
  const retiredIds = known.filter(({ id, active }) => active && !listedIds.has(id)).map(({ id }) => id)
  await prisma.requestTypeQuestion.updateMany({ where: { id: { in: retiredIds } }, data: { active: false } })
  counts.questions.retired += retiredIds.length
}

const questionColumns = <Question extends QuestionInput | RequestTypeQuestion>(one: Question, position: number) => ({
  ...{ question: one.question, question_type: one.question_type, position },
  ...{ answer_kept_private: one.answer_kept_private, response_required: one.response_required },
  select_values: one.select_values as Question['select_values'],
  translations: one.translations as Question['translations'],
})

/** An identical text precedes one that only differs in letter case. */
function findByText<Row>(rows: readonly Row[], text: string, textOf: (row: Row) => string): Row | undefined {
  return rows.find((row) => textOf(row) === text) ?? rows.find((row) => textOf(row).toLowerCase() === text.toLowerCase())
}
