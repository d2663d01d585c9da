import Type, { type Static } from 'typebox'
import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { languageOf, text, languages } from '../../locales/texts.ts'
import { lockMemberships } from '../../organizations/queries.ts'
import { DocumentErrors } from './document-errors.ts'
import { RequestType, TYPES_MAX } from './document-schema.ts'
import { emptyReport } from './organizations-report.ts'
import { addType, updateType, writeOtherType, writeQuestions } from './request-type-queries.ts'
import { readRequestTypes, type RequestTypeInput } from './request-type-rows.ts'
import { Id, nullable, stringEnum } from '../../http/schema/fields.ts'
import { categories } from '../../issues/categories.ts'
import { questionTypes } from '../../request-types/schema.ts'

type Document = Static<typeof RequestTypeDocument>

/** Returns all request types of the organisation, also retired ones, with all their questions. */
export async function listStaffTypes({ prisma }: PrismaHandle, organization_id: number): Promise<StaffRequestType[]> {
  const types = await prisma.requestType.findMany({
    where: { organization_id },
    include: { questions: { orderBy: [{ active: 'desc' }, { position: 'asc' }, { id: 'asc' }] } },
    orderBy: [{ active: 'desc' }, { position: 'asc' }, { title: 'asc' }, { id: 'asc' }],
  })
  return types.map(({ id, title, language, translations, category, position, active, is_other, questions }) => ({
    ...{ id, title, category, position, active, is_other },
    language: languageOf(language),
    translations: translations as object | null,
    questions: questions.map((one) => ({
      id: one.id,
      primary_key: one.built_in,
      question: one.question,
      question_type: one.question_type,
      response_required: one.response_required,
      answer_kept_private: one.answer_kept_private,
      select_values: one.select_values as object[] | null,
      translations: one.translations as object | null,
      active: one.active,
    })),
  }))
}

/** Adds or retires the request type for reports of an unnamed kind. Returns its id, or undefined without one. */
export async function setTakesOther(tx: Transaction, organization_id: number, takesOther: boolean): Promise<number | undefined> {
  await lockMemberships(tx)
  await writeOtherType(tx, organization_id, takesOther, emptyReport([]))
  return (await tx.prisma.requestType.findFirst({ where: { organization_id, is_other: true }, select: { id: true } }))?.id
}

/** Adds a request type and returns its id. @throws Problem 422 with all errors of the document by their paths */
export async function createType(tx: Transaction, organization_id: number, document: Document): Promise<number> {
  await lockMemberships(tx)
  const other = document.is_other === true ? await setTakesOther(tx, organization_id, true) : undefined
  if (other !== undefined) return other
  const known = await listStaffTypes(tx, organization_id)
  if (known.length >= TYPES_MAX) throw problems.invalid({ base: text('too_many_request_types', { max: TYPES_MAX }) })
  const input = await readDocument(tx, organization_id, { position: known.length, ...document })
  refuseTakenTitle(input, known)
  const counts = emptyReport([])
  const id = await addType(tx.prisma, organization_id, input, counts)
  await writeQuestions(tx.prisma, id, input.questions, counts)
  return id
}

/**
 * Changes the fields of the document that are present.
 * @throws Problem 404 for a type of another organisation, 422 as `createType`
 */
export async function changeTypeDocument(tx: Transaction, organization_id: number, id: number, document: Document): Promise<void> {
  await lockMemberships(tx)
  const known = await listStaffTypes(tx, organization_id)
  const current = known.find((type) => type.id === id)
  const row = await tx.prisma.requestType.findUnique({ where: { id } })
  if (!current || !row) throw problems.notFound('the_request_type')
  if (current.is_other) {
    if (document.active !== false) throw problems.invalid({ base: text('other_type_is_fixed') })
    await setTakesOther(tx, organization_id, false)
    return
  }
  const { title, category, position, translations } = current
  const input = await readDocument(tx, organization_id, { title, category, position, translations, ...document })
  refuseTakenTitle(
    input,
    known.filter((type) => type.id !== id),
  )
  const counts = emptyReport([])
  await updateType(tx.prisma, row, input, counts)
  if (document.questions !== undefined) await writeQuestions(tx.prisma, id, input.questions, counts)
  const active = document.active ?? row.active
  await tx.prisma.requestType.update({ where: { id }, data: { active } })
}

async function readDocument(
  { prisma }: Transaction,
  id: number,
  { active: _, is_other: __, ...document }: Document,
): Promise<RequestTypeInput> {
  const { language } = await prisma.organization.findUniqueOrThrow({ where: { id }, select: { language: true } })
  const errors = new DocumentErrors()
  const valid = errors.validate(RequestType, document, `${LIST}[0]`)
  const [input] = readRequestTypes(valid ? [valid] : [], LIST, { language: languageOf(language), hasOther: true }, errors)
  errors.throwProblem(`${LIST}[0].`)
  return input as RequestTypeInput
}

/** The readers of the file name paths in it. */
const LIST = 'request_types'

function refuseTakenTitle({ title }: RequestTypeInput, others: readonly StaffRequestType[]): void {
  if (others.some((other) => other.title.toLowerCase() === title.toLowerCase()))
    throw problems.invalid({ title: text('title_taken') })
}

const Translations = nullable(
  Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'Texts in further languages, as in the organisation file.',
    examples: [{ es: { title: 'Bache' } }],
  }),
)

const Question = Type.Object(
  {
    id: Id,
    primary_key: nullable(Type.String({ description: 'summary, description, issue_image, offensive, or null.' })),
    question: Type.String({ examples: ['How wide is it?'] }),
    question_type: stringEnum(questionTypes),
    response_required: Type.Boolean(),
    answer_kept_private: Type.Boolean(),
    select_values: nullable(
      Type.Unsafe<object[]>({ type: 'array', items: Type.Object({ key: Type.String(), name: Type.String() }) }),
    ),
    translations: Translations,
    active: Type.Boolean({ description: 'False once it is retired. Old issues keep the text that was asked.' }),
  },
  { title: 'StaffQuestion' },
)

export const StaffRequestType = Type.Object(
  {
    id: Id,
    title: Type.String({ examples: ['Pothole'] }),
    language: stringEnum(languages),
    translations: Translations,
    category: Type.String({ examples: ['pothole'] }),
    position: Type.Integer({ examples: [0] }),
    active: Type.Boolean(),
    is_other: Type.Boolean(),
    questions: Type.Array(Question),
  },
  { title: 'StaffRequestType' },
)
export type StaffRequestType = Static<typeof StaffRequestType>

/** The handler checks the document as the import does, and reports all errors by their paths. */
export const RequestTypeDocument = Type.Object(
  {
    title: Type.Optional(Type.Unsafe<unknown>({ description: 'At most 200 characters.', examples: ['Pothole'] })),
    category: Type.Optional(Type.Unsafe<unknown>({ description: `One of ${categories.join(', ')}.`, examples: ['pothole'] })),
    position: Type.Optional(Type.Unsafe<unknown>({ description: 'The order in the form.', examples: [0] })),
    translations: Type.Optional(Type.Unsafe<unknown>({ examples: [{ es: { title: 'Bache' } }] })),
    active: Type.Optional(Type.Boolean({ description: 'False retires the type: no new report can have it.' })),
    is_other: Type.Optional(
      Type.Boolean({
        description:
          'True at the creation: the type for reports of an unnamed kind, which has its own texts and questions. It can only be retired.',
      }),
    ),
    questions: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'The whole list, in its order, as in the organisation file (docs/organizations.md). A question keeps its id by its primary_key or its text; missing ones are retired. Without the field, all stay.',
        examples: [[{ question: 'How wide is it?', question_type: 'text' }]],
      }),
    ),
  },
  { title: 'RequestTypeDocument' },
)
