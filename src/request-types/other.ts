import { type Language, languages, textsIn } from '../locales/texts.ts'
import type { RequestType, RequestTypeQuestion, TranslatedQuestion } from './schema.ts'

const question = (
  primary_key: string,
  text: string,
  question_type: RequestTypeQuestion['question_type'],
  response_required: boolean,
  language: Language,
): TranslatedQuestion => ({
  primary_key,
  question: text,
  question_type,
  answer_kept_private: false,
  response_required,
  select_values: null,
  language,
})

/** Returns the type `other` with texts in a language. */
export function otherRequestTypeIn(language: Language): RequestType {
  const texts = textsIn(language)
  return {
    id: null,
    organization: null,
    organization_language: null,
    is_other: true,
    title: texts('otherRequestType.title'),
    language,
    questions: [
      question('summary', texts('otherRequestType.summary'), 'text', true, language),
      question('description', texts('otherRequestType.description'), 'textarea', false, language),
      question('issue_image', texts('otherRequestType.picture'), 'file', false, language),
    ],
  }
}

/**
 * The fallback type, available everywhere, for reporters who do not know the responsible organisation. Its issues are community issues. An
 * organisation that takes such reports has a type of its own with the same questions (`is_other`).
 */
export const otherRequestType: RequestType = otherRequestTypeIn('en')

/** The title of the type `other` as a row of `typeTexts`. */
export const otherTypeTexts = {
  ...{ title: otherRequestType.title, language: otherRequestType.language },
  translations: Object.fromEntries(languages.map((language) => [language, { title: otherRequestTypeIn(language).title }])),
  ...{ organization: null, organization_language: null, organization_translations: null },
}

const otherLanguages = languages.filter((language) => language !== otherRequestType.language)

/** The texts of the type of an organisation that takes reports of an unnamed kind, with all translations. */
export const storedOtherType = {
  ...{ title: otherRequestType.title, language: otherRequestType.language },
  translations: Object.fromEntries(otherLanguages.map((language) => [language, { title: otherRequestTypeIn(language).title }])),
  questions: otherRequestType.questions.map((own, index) => ({
    ...own,
    translations: Object.fromEntries(
      otherLanguages.map((language) => [
        language,
        { question: otherRequestTypeIn(language).questions[index]?.question ?? own.question },
      ]),
    ),
  })),
}

/** Returns the types of a point with the fallback type, if they have none. */
export const withOther = <Type extends { readonly is_other: boolean }, Other>(
  types: readonly Type[],
  other: Other,
): (Type | Other)[] => (types.some(({ is_other }) => is_other) ? [...types] : [...types, other])
