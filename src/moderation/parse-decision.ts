import { isBlankText } from '../http/schema/fields.ts'
import type { Edits } from './decide-queries.ts'
import type { Approval, Rejection } from './schema.ts'

export function parseEdits({ summary, description, address, comment, question, answer, name }: Approval): Edits {
  return {
    ...(summary === undefined ? {} : { summary: summary.trim() }),
    ...(description === undefined ? {} : { description: textOrNull(description) }),
    ...(address === undefined ? {} : { address: address.trim() }),
    ...(comment === undefined ? {} : { comment: comment.trim() }),
    ...(question === undefined ? {} : { question: question.trim() }),
    ...(answer === undefined ? {} : { answer: answer.trim() }),
    ...(name === undefined ? {} : { name: name.trim() }),
  }
}

export const parseReason = ({ reason }: Rejection): string | null => textOrNull(reason)

const textOrNull = (text: string | null | undefined) => (typeof text !== 'string' || isBlankText(text) ? null : text.trim())
