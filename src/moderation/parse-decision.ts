import type { FastifyRequest } from 'fastify'

import { problems } from '../errors/problems.ts'
import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
import { isModerator } from '../http/identity/capabilities.ts'
import { isBlankText } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
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

/** The caller decides on content of any organisation; `mayDecide` is about one item. @throws Problem 401 for anonymous callers, 403 for others */
export function requireModerator(request: FastifyRequest): Viewer {
  const viewer = requireViewer(request)
  if (!isModerator(viewer)) throw problems.notPermitted(text('moderators_only'))
  return viewer
}

/** The hook runs in `preValidation`, before errors in the input are reported. */
export async function moderatorOnly(request: FastifyRequest): Promise<void> {
  requireModerator(request)
}
