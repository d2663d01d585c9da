import Type, { type Static } from 'typebox'
import { Id, nullable, NullableTimestamp, stringEnum, visibleText, toNullableTimestamp } from '../http/schema/fields.ts'
import { employeeOutcomes } from '../issue-lifecycle/status.ts'
import { type Language, languages, text, languageOf } from '../locales/texts.ts'
import type { Prisma } from '../../prisma/generated/client.ts'
import type { PrismaHandle, Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { type ContentChange, addContentRoutes, documentKind, findItem } from '../organizations/content.ts'
import type { FastifyPluginAsync } from 'fastify'
import type { Services } from '../services.ts'

const TEMPLATES_MAX = 200
/** The same as of a comment. */
const TEXT_MAX = 10_000
const TITLE_MAX = 100
const TYPES_MAX = 500

/** The statuses that an issue may have after an answer. */
export const answeredStatuses = ['Open', 'Acknowledged', 'Closed'] as const

const Words = visibleText(TEXT_MAX)
const texts = Type.Object(Object.fromEntries(languages.map((language) => [language, Type.Optional(Words)])), {
  additionalProperties: false,
})
type TemplateTexts = Readonly<Partial<Record<Language, string>>>

const fields = {
  title: visibleText(TITLE_MAX, {
    description: 'Only staff see it.',
    examples: ['Pothole filled'],
  }),
  texts: Type.Unsafe<TemplateTexts>({
    ...texts,
    description:
      'The answer by language, at least in that of the organisation. The page of an issue takes the language of its reporter.',
    'x-allowed': text('template_texts', { languages: languages.join(', '), max: TEXT_MAX }),
    examples: [{ en: 'We filled the pothole.' }],
  }),
  request_type_ids: Type.Array(Id, {
    maxItems: TYPES_MAX,
    description: 'Request types of the organisation; empty for all.',
    'x-allowed': text('list_of_ids', { max: TYPES_MAX }),
    examples: [[12]],
  }),
  statuses: Type.Array(stringEnum(answeredStatuses), {
    maxItems: answeredStatuses.length,
    description: 'The statuses that an issue may have after the answer; empty for all.',
    'x-allowed': text('list_of_values', { values: answeredStatuses.join(', ') }),
    examples: [['Closed']],
  }),
  outcome: nullable(Type.Unsafe<(typeof employeeOutcomes)[number]>({ type: 'string', enum: [...employeeOutcomes, null] }), {
    description: 'The outcome that the template sets if it closes an issue.',
    examples: ['fixed'],
  }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Templates are sorted by position, then by id.',
    examples: [1],
  }),
}

const retired = Type.Boolean({
  description: 'A retired template is kept, but not offered.',
  examples: [false],
})

const { title, texts: words, ...others } = fields
const NewTemplate = Type.Object({ title, texts: words, ...Type.Partial(Type.Object(others)).properties }, { title: 'NewTemplate' })
export const TemplateChange = Type.Partial(Type.Object({ ...fields, retired }), { title: 'TemplateChange' })
type TemplateInput = Static<typeof TemplateChange>

export const Template = Type.Object({ id: Id, ...fields, retired_at: NullableTimestamp }, { title: 'Template' })
export type Template = Static<typeof Template>
const select = {
  ...{ id: true, title: true, texts: true, request_type_ids: true, statuses: true, outcome: true, position: true },
  retired_at: true,
} as const
const orderBy = [{ position: 'asc' }, { id: 'asc' }] as const satisfies Prisma.ResponseTemplateOrderByWithRelationInput[]

export async function listTemplates(db: PrismaHandle, organization_id: number): Promise<Template[]> {
  return (await db.prisma.responseTemplate.findMany({ where: { organization_id }, select, orderBy: [...orderBy] })).map(present)
}

export interface OfferedTemplate extends Pick<Template, 'id' | 'title' | 'statuses' | 'outcome'> {
  /** In the language of the issue, or that of the organisation. */
  readonly words: string
  readonly language: Language
}

/** Returns the templates that the caller's organisations offer for an issue of this type. */
export async function listOfferedTemplates(
  db: PrismaHandle,
  { viewer, issue }: { readonly viewer: Viewer; readonly issue: { readonly id: number; readonly request_type_id: number | null } },
): Promise<OfferedTemplate[]> {
  const { locale } = await db.prisma.issue.findUniqueOrThrow({ where: { id: issue.id }, select: { locale: true } })
  const rows = await db.prisma.responseTemplate.findMany({
    where: {
      organization_id: { in: organizationIdsWith(viewer, 'work_on_issues') },
      retired_at: null,
      OR: [{ request_type_ids: { isEmpty: true } }, { request_type_ids: { has: issue.request_type_id ?? 0 } }],
    },
    select: { ...select, organization: { select: { language: true } } },
    orderBy: [...orderBy],
  })
  return rows.map(({ organization, ...row }) => {
    const { id, title, statuses, outcome, texts } = present(row)
    const language = [languageOf(locale), languageOf(organization.language)].find((one) => texts[one] !== undefined) ?? 'en'
    return { id, title, statuses, outcome, language, words: texts[language] ?? '' }
  })
}

/** Adds a template and returns its id. @throws Problem 422 that names the field */
export async function addTemplate(tx: Transaction, { organization_id, now }: ContentChange, input: TemplateInput): Promise<number> {
  if ((await tx.prisma.responseTemplate.count({ where: { organization_id } })) >= TEMPLATES_MAX)
    throw problems.invalid({ base: text('too_many_templates', { max: TEMPLATES_MAX }) })
  const { title = '', texts = {}, request_type_ids = [], statuses = [], outcome = null, position = 0 } = input
  const data = { title, texts, request_type_ids, statuses, outcome, position }
  await check(tx, organization_id, data)
  const stored = { ...data, organization_id, created_at: now, updated_at: now }
  const { id } = await tx.prisma.responseTemplate.create({ data: stored, select: { id: true } })
  return id
}

/** Changes the fields that are present. @throws Problem 404, or 422 that names the field */
export async function changeTemplate(
  tx: Transaction,
  { organization_id, now }: ContentChange,
  id: number,
  { retired, ...input }: TemplateInput,
): Promise<void> {
  const { id: _, retired_at, ...stored } = await findItem(listTemplates(tx, organization_id), id, 'the_template')
  const data = { ...stored, ...input }
  await check(tx, organization_id, data)
  const isRetired = retired ?? retired_at !== null
  const end = isRetired ? (retired_at ?? now) : null
  await tx.prisma.responseTemplate.update({ where: { id }, data: { ...data, retired_at: end, updated_at: now } })
}

/** @throws Problem 404 */
export async function deleteTemplate(tx: Transaction, { organization_id }: ContentChange, id: number): Promise<void> {
  const { count } = await tx.prisma.responseTemplate.deleteMany({ where: { id, organization_id } })
  if (count === 0) throw problems.notFound('the_template')
}

async function check(
  tx: Transaction,
  organization_id: number,
  { texts, request_type_ids }: Pick<Template, 'texts' | 'request_type_ids'>,
): Promise<void> {
  const { language } = await tx.prisma.organization.findUniqueOrThrow({
    where: { id: organization_id },
    select: { language: true },
  })
  const needed = languageOf(language)
  if (!texts[needed]) throw problems.invalid({ texts: text('template_language_needed', { language: needed }) })
  const ids = [...new Set(request_type_ids)]
  if ((await tx.prisma.requestType.count({ where: { id: { in: ids }, organization_id } })) < ids.length)
    throw problems.invalid({ request_type_ids: text('request_types_of_organization') })
}

function present({
  texts,
  statuses,
  outcome,
  retired_at,
  ...row
}: Prisma.ResponseTemplateGetPayload<{ select: typeof select }>): Template {
  return {
    ...row,
    texts: texts as Template['texts'],
    statuses: statuses as Template['statuses'],
    outcome: outcome as Template['outcome'],
    retired_at: toNullableTimestamp(retired_at?.toISOString() ?? null),
  }
}

export const templateRoutes: FastifyPluginAsync<Services> = async (app, services) =>
  addContentRoutes(app, services, {
    name: 'templates',
    parameter: ['template_id', 'template'],
    schemas: { item: Template, added: NewTemplate, changed: TemplateChange },
    documentation: documentKind(['Template', 'prepared answer'], {
      list: 'Sorted by position, retired ones too.',
      add: `At most ${TEMPLATES_MAX}.`,
      change: '',
    }),
    list: listTemplates,
    notFound: 'the_template',
    add: addTemplate,
    change: changeTemplate,
    remove: deleteTemplate,
  })
