import { html, type SafeHtml } from '../../../html/template.ts'
import { translate, type Translations } from '../../../locales/translations.ts'
import { translateQuestion } from '../../../request-types/present.ts'
import { type QuestionTexts, questionTypes, type RequestTypeQuestion } from '../../../request-types/schema.ts'
import { reportForm } from '../../report/report-form.ts'
import type { PartContext } from '../forms/part.ts'

/** A document of a request type whose values may be invalid. */
export interface PreviewedType {
  readonly title?: unknown
  readonly translations?: unknown
  readonly questions: readonly object[]
}

/** Returns the form of a report of the type, as residents see it in the language of the page. */
export function reportPreview(context: PartContext, { title, translations, questions }: PreviewedType): SafeHtml {
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
