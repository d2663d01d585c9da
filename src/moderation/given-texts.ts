import { isBlankText } from '../http/schema/visible-text.ts'
import type { Edits } from './decide-queries.ts'
import type { Approval, Rejection } from './schema.ts'

/** What a moderator wrote instead, as it is kept: without blanks around it. */
export function editsOf({ summary, description, address, comment, question, answer }: Approval): Edits {
  return {
    summary: summary?.trim(),
    description: description === undefined ? undefined : textOrNull(description),
    address: address?.trim(),
    comment: comment?.trim(),
    question: question?.trim(),
    answer: answer?.trim(),
  }
}

export const reasonOf = ({ reason }: Rejection): string | null => textOrNull(reason)

const textOrNull = (text: string | null | undefined) => (typeof text !== 'string' || isBlankText(text) ? null : text.trim())
