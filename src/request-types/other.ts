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

/** The fallback type, available everywhere, for reporters who do not know the responsible organisation. Its issues are community issues. */
export const otherRequestType: RequestType = {
  id: null,
  organization: null,
  title: 'Other',
  questions: [
    question('summary', 'What is the problem?', 'text', true),
    question('description', 'Tell us more about it', 'textarea', false),
    question('issue_image', 'Add a picture', 'file', false),
  ],
}
