import type { FastifyRequest } from 'fastify'

import { problems } from '../errors/problems.ts'
import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
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

/** Moderators of any organisation decide on all items (docs/adr/0015). @throws Problem 401 for anonymous callers, 403 for others */
export function requireModerator(request: FastifyRequest): Viewer {
  const viewer = requireViewer(request)
  if (!viewer.isModerator) throw problems.notPermitted(text('moderators_only'))
  return viewer
}

/** The hook runs in `preValidation`, before errors in the input are reported. */
export async function moderatorOnly(request: FastifyRequest): Promise<void> {
  requireModerator(request)
}
