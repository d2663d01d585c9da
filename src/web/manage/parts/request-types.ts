import Type from 'typebox'

import { inLanguage } from '../../../html/page.ts'
import { stringEnum, visibleText } from '../../../http/schema/fields.ts'
import { changeTypeDocument, createType, listStaffTypes, type StaffRequestType } from '../../../imports/organizations/edit-type.ts'
import { categories } from '../../../issues/categories.ts'
import { languages } from '../../../locales/texts.ts'
import { otherRequestTypeIn } from '../../../request-types/other.ts'
import type { FormField, Part, PartContext } from './part.ts'
import { questions, reportPreview } from './questions.ts'
import { translationFields } from './settings.ts'

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
