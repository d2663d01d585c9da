import { type Language, textsIn } from '../../locales/texts.ts'
import type { FurtherAnswer } from '../../reporting/report-issue.ts'
import type { Parameters } from '../input/parameters.ts'

type Name = 'first_name' | 'last_name' | 'email' | 'phone' | 'account_id' | 'address_id' | 'media_url'

/** The fields that contain personal data. */
const contactNames = ['first_name', 'last_name', 'email', 'phone', 'account_id'] as const satisfies readonly Name[]

/**
 * Returns the fields of a report that no question asks for as answers: contact data and the address id for the staff of the organisation only,
 * the link to a picture for everyone.
 */
export function toFurtherAnswers(fields: Parameters, language: Language): FurtherAnswer[] {
  const answer = (name: Name, kind: Pick<FurtherAnswer, 'answer_kept_private' | 'is_contact'>) => {
    const value = fields.get(name)
    return value === undefined ? [] : [{ question: textsIn(language)(`contactFields.${name}`), answer: value, ...kind }]
  }
  const mediaUrl = answer('media_url', { answer_kept_private: false })
  return [
    ...contactNames.flatMap((name) => answer(name, { answer_kept_private: true, is_contact: true })),
    ...answer('address_id', { answer_kept_private: true }),
    // The name in the value lets `findMediaUrls` find the link.
    ...mediaUrl.flatMap((link) => link.answer.split('\n').map((url) => ({ ...link, answer: url, value: { media_url: url } }))),
  ]
}
