import { type Language, textsIn } from '../locales/texts.ts'
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
  const texts = textsIn(language)
  return {
    id: null,
    organization: null,
    title: texts('otherRequestType.title'),
    questions: [
      question('summary', texts('otherRequestType.summary'), 'text', true),
      question('description', texts('otherRequestType.description'), 'textarea', false),
      question('issue_image', texts('otherRequestType.picture'), 'file', false),
    ],
  }
}

/** The fallback type, available everywhere, for reporters who do not know the responsible organisation. Its issues are community issues. */
export const otherRequestType: RequestType = otherRequestTypeIn('en')
