import { html, type SafeHtml } from '../../../html/template.ts'
import { translate, type Translations } from '../../../locales/translations.ts'
import { translateQuestion } from '../../../request-types/present.ts'
import { type QuestionTexts, questionTypes, type RequestTypeQuestion } from '../../../request-types/schema.ts'
import { reportForm } from '../../report/report-form.ts'
import type { PartContext, FormField, Part } from './part.ts'
import Type from 'typebox'
import type { Transaction } from '../../../database/database.ts'
import { problems, orNotFound } from '../../../errors/problems.ts'
import { inLanguage } from '../../../html/page.ts'
import { stringEnum, visibleText } from '../../../http/schema/fields.ts'
import { changeTypeDocument, listStaffTypes, type StaffRequestType, createType } from '../../../imports/organizations/edit-type.ts'
import { builtIns } from '../../../imports/organizations/document-schema.ts'
import { languages, text } from '../../../locales/texts.ts'
import { translationFields } from './settings.ts'
import { categories } from '../../../issues/categories.ts'
import { otherRequestTypeIn } from '../../../request-types/other.ts'

/** A document of a request type whose values may be invalid. */
interface PreviewedType {
  readonly title?: unknown
  readonly translations?: unknown
  readonly questions: readonly object[]
}

/** Returns the form of a report of the type, as residents see it in the language of the page. */
function reportPreview(context: PartContext, { title, translations, questions }: PreviewedType): SafeHtml {
  const { organization, texts, links, now } = context
  const own = { texts: { title: toText(title) }, language: organization.language }
  const named = translate(own, toTranslations<{ title: string }>(translations), texts.language)
  const type = {
    ...{ id: 1, is_other: false, title: named.texts.title, language: named.language },
    ...{ organization: organization.name, organization_language: organization.language },
    questions: questions.map((question, index) =>
      translateQuestion(toQuestion(question, index), organization.language, texts.language),
    ),
  }
  const form = reportForm({
    ...{ action: '#', formKey: '', point: { lat: 0, lng: 0 }, type, duplicates: '', values: {}, errors: {}, now, texts, links },
    ...{ draft: undefined, replaced: undefined, isLoggedIn: true, mayReportForCaller: false },
  })
  return html`<h2>${texts('manage.types.preview')}</h2><p class="quiet">${texts('manage.types.previewHint')}</p>
    <h3>${type.title}</h3><fieldset disabled aria-label="${texts('manage.types.preview')}">${form}</fieldset>`
}

const toText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : '…')

const toTranslations = <Texts>(value: unknown) => (typeof value === 'object' ? value : null) as Translations<Texts> | null

function toQuestion(question: Readonly<Record<string, unknown>> | object, index: number) {
  const { primary_key, question: asked, question_type, select_values, translations, ...flags } = question as Record<string, unknown>
  const type = questionTypes.find((one) => one === question_type) ?? 'text'
  const isChoice = type === 'select' || type === 'multivaluelist'
  return {
    primary_key: typeof primary_key === 'string' ? primary_key : String(index),
    question: toText(asked),
    question_type: type,
    response_required: flags['response_required'] === true,
    answer_kept_private: flags['answer_kept_private'] === true,
    select_values: isChoice && Array.isArray(select_values) ? (select_values as RequestTypeQuestion['select_values']) : null,
    translations: toTranslations<QuestionTexts>(translations),
  }
}

const QUESTION_MAX = 1_000
const CHOICE_TYPES = ['select', 'multivaluelist']

type Document = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, { readonly question?: string; readonly select_values?: Readonly<Record<string, string>> }>>

/** A question in the values of its form: choices are lines, in the order of the question in each language. Its id is its position. */
interface QuestionRow {
  readonly id: number
  readonly document: Document
  readonly question: string
}

/** The questions of a request type. An old issue keeps the text that was asked. */
export const questions: Part<QuestionRow> = {
  name: 'questions',
  path: 'request-types/:item/questions',
  capability: 'manage_content',
  schema: Type.Object({ question: visibleText(QUESTION_MAX), question_type: stringEnum(questionTypes) }),
  list: async (context) => {
    const type = await findType(context)
    return activeQuestions(type).map((document, index) => ({ ...toRow(document), id: index + 1, document }))
  },
  describe: ({ question: asked, document }, { texts, organization }) => {
    const type = questionTypes.find((one) => one === document['question_type']) ?? 'text'
    return { title: inLanguage(asked, organization.language, texts.language), details: texts(`manage.questions.types.${type}`) }
  },
  fields: ({ texts, organization: { language } }) => {
    const choices = { kind: 'lines', hint: texts('manage.questions.choicesHint') } as const
    const check = (path: string, label: string): FormField => ({ path, kind: 'check', label })
    return Promise.resolve([
      { path: 'question', kind: 'line', label: texts('manage.questions.question'), required: true, maxlength: QUESTION_MAX },
      ...translationFields('question', texts('manage.questions.question'), language, texts),
      {
        ...{ path: 'question_type', kind: 'select', label: texts('manage.questions.type'), required: true },
        choices: questionTypes.map((key) => ({ key, name: texts(`manage.questions.types.${key}`) })),
      },
      { path: 'select_values', label: texts('manage.questions.choices'), ...choices },
      ...translationFields('select_values', texts('manage.questions.choices'), language, texts, 'lines'),
      check('response_required', texts('manage.questions.required')),
      check('answer_kept_private', texts('manage.questions.private')),
      {
        ...{ path: 'primary_key', kind: 'select', label: texts('manage.questions.becomes'), isNullable: true },
        choices: builtIns.map((key) => ({ key, name: texts(`manage.questions.builtIns.${key}`) })),
      },
    ])
  },
  save: (tx, context, id, body) =>
    write(tx, context, (all) => (id === undefined ? [...all, toDocument(body, true)] : all.with(id - 1, toDocument(body, true)))),
  remove: (tx, context, id) => write(tx, context, (all) => all.toSpliced(id - 1, 1)),
  reorder: (tx, context, ids) => write(tx, context, (all) => ids.map((id) => all[id - 1] ?? {})),
  preview: async (context, { item, body }) => {
    const type = await findType(context)
    const all = activeQuestions(type)
    const edited = toDocument(body, false)
    return reportPreview(context, { ...type, questions: item ? all.with(item.id - 1, edited) : [...all, edited] })
  },
}

/** @throws Problem 404 */
async function findType({ db, organization, parent }: PartContext): Promise<StaffRequestType> {
  const type = (await listStaffTypes(db, organization.id)).find(({ id, is_other }) => id === parent && !is_other)
  return orNotFound(type, 'the_request_type')
}

const activeQuestions = (type: StaffRequestType): Document[] =>
  type.questions.filter(({ active }) => active).map(({ id: _, active: __, ...document }) => document)

async function write(tx: Transaction, context: PartContext, change: (all: Document[]) => Document[]): Promise<void> {
  const type = await findType(context)
  await changeTypeDocument(tx, context.organization.id, type.id, { questions: change(activeQuestions(type)) })
}

const SEPARATOR = ' | '

function toRow(document: Document) {
  const { select_values, translations, ...rest } = document as Document & {
    select_values: Choice[] | null
    translations: Texts | null
  }
  const keys = (select_values ?? []).map(({ key }) => key)
  const translated = Object.entries(translations ?? {}).map(([language, texts]) => [
    language,
    { question: texts.question, select_values: keys.map((key) => texts.select_values?.[key] ?? '') },
  ])
  return {
    ...(rest as unknown as { readonly question: string }),
    select_values: (select_values ?? []).map(({ key, name }) => (key === name ? name : `${key}${SEPARATOR}${name}`)),
    translations: Object.fromEntries(translated) as object,
  }
}

interface Choice {
  readonly key: string
  readonly name: string
}

/** @throws Problem 422 with `isChecked` unless each translation has all choices */
function toDocument(body: object, isChecked: boolean): Document {
  const {
    select_values = [],
    translations = {},
    ...rest
  } = body as Document & {
    select_values?: string[]
    translations?: Readonly<Record<string, { question?: string; select_values?: string[] }>>
  }
  const hasChoices = CHOICE_TYPES.includes(String(rest['question_type']))
  const choices = select_values.map((line): Choice => {
    const [key = line, name = key] = line.split(SEPARATOR)
    return { key, name }
  })
  const translated = languages.flatMap((language) => {
    const texts = translations[language]
    if (!texts) return []
    if (!hasChoices) return [[language, { question: texts.question }]]
    const names = texts.select_values ?? []
    if (isChecked && names.length !== choices.length)
      throw problems.invalid({ [`translations.${language}.select_values`]: text('choices_count', { count: choices.length }) })
    return [
      [language, { question: texts.question, select_values: Object.fromEntries(choices.map(({ key }, n) => [key, names[n]])) }],
    ]
  })
  const all = Object.fromEntries(translated) as object
  return { ...rest, select_values: hasChoices ? choices : null, translations: isChecked ? all : onlyComplete(all) }
}

/** A preview shows no translation without a question. */
const onlyComplete = (translations: object) =>
  Object.fromEntries(Object.entries(translations).filter(([, texts]) => (texts as { question?: string }).question !== undefined))

const TITLE_MAX = 200

/** Request types; that for reports of an unnamed kind is a setting. */
export const requestTypes: Part<StaffRequestType> = {
  name: 'request-types',
  path: 'request-types',
  capability: 'manage_content',
  schema: Type.Object({ title: visibleText(TITLE_MAX), category: stringEnum(categories) }),
  child: questions,
  list: async ({ db, organization }) => (await listStaffTypes(db, organization.id)).filter(({ is_other }) => !is_other),
  describe: ({ title, language: own, questions: asked, active }, { texts }) => ({
    title: inLanguage(title, own, texts.language),
    details: texts('manage.types.questions', { count: asked.filter((question) => question.active).length }),
    isRetired: !active,
  }),
  fields: ({ texts, organization }, item) =>
    Promise.resolve([
      { path: 'title', kind: 'line', label: texts('manage.types.title'), required: true, maxlength: TITLE_MAX },
      ...translationFields('title', texts('manage.types.title'), organization.language, texts),
      {
        ...{ path: 'category', kind: 'select', label: texts('manage.types.category'), required: true },
        choices: categories.map((key) => ({ key, name: texts(`manage.types.categories.${key}`) })),
      },
      ...(item ? [{ path: 'active', kind: 'check', label: texts('manage.types.active') } satisfies FormField] : []),
    ]),
  save: (tx, context, id, body) =>
    id === undefined
      ? createType(tx, context.organization.id, { ...body, questions: firstQuestions(context) })
      : changeTypeDocument(tx, context.organization.id, id, body),
  reorder: async (tx, context, ids) => {
    const stored = await listStaffTypes(tx, context.organization.id)
    for (const [position, id] of ids.entries())
      if (stored.find((type) => type.id === id)?.position !== position)
        await changeTypeDocument(tx, context.organization.id, id, { position })
  },
  preview: (context, { item, body }) => {
    const asked = item ? item.questions.filter(({ active }) => active) : firstQuestions(context)
    return Promise.resolve(reportPreview(context, { ...body, questions: asked }))
  },
}

/** A new type asks for a summary, a description and pictures. */
const firstQuestions = ({ organization: { language } }: PartContext) =>
  otherRequestTypeIn(language).questions.map(({ primary_key, question, question_type, response_required }, index) => {
    const others = languages.filter((other) => other !== language)
    const translated = others.map((other) => [
      other,
      { question: otherRequestTypeIn(other).questions[index]?.question ?? question },
    ])
    return { primary_key, question, question_type, response_required, translations: Object.fromEntries(translated) as object }
  })
