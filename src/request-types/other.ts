import type { Language } from '../errors/texts/languages.ts'
import { otherTexts } from './other-texts.ts'
import type { RequestType, RequestTypeQuestion } from './schema.ts'

const question = (
  primary_key: string,
  text: string,
  question_type: RequestTypeQuestion['question_type'],
  response_required: boolean,
): RequestTypeQuestion => ({
  primary_key,
  question: text,
  question_type,
  answer_kept_private: false,
  response_required,
  select_values: null,
})

/** Returns the type `other` with texts in a language, for pages. */
export function otherRequestTypeIn(language: Language): RequestType {
  const { title, summary, description, picture } = otherTexts[language]
  return {
    id: null,
    organization: null,
    title,
    questions: [
      question('summary', summary, 'text', true),
      question('description', description, 'textarea', false),
      question('issue_image', picture, 'file', false),
    ],
  }
}

/** The fallback type, available everywhere, for reporters who do not know the responsible organisation. Its issues are community issues. */
export const otherRequestType: RequestType = otherRequestTypeIn('en')
