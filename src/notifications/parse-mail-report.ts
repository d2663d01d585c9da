import PostalMime from 'postal-mime'

import { problems } from '../errors/problems.ts'
import { text } from '../locales/texts.ts'

export const COMPLAINT = 'complaint'

export interface MailReport {
  /** Id of the mail that the report returns. It is random, so that only servers and readers of the mail can report it. */
  readonly messageId: string
  /** The status of a permanent failure (RFC 3463), or `complaint`. */
  readonly status: string
}

const MESSAGE_ID = /^message-id:\s*<([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})@/im
/** The report and the header of the mail are at the beginning. The time to parse a message grows with the square of its parts, which a stranger can send. */
const READ_BYTES = 128 * 1024
const BLANK_LINE = /\r?\n[ \t]*\r?\n/

/**
 * Reads a delivery status notification (RFC 3464) or a complaint (RFC 5965). Returns undefined for other messages, such as delays and automatic replies.
 * @throws Problem 400 if the message is nested too deeply, or its headers are too long
 */
export async function parseMailReport(message: Buffer): Promise<MailReport | undefined> {
  const { attachments } = await PostalMime.parse(message.subarray(0, READ_BYTES), { attachmentEncoding: 'utf8' }).catch(() => {
    throw problems.unreadableBody(text('body_unreadable'))
  })
  const groupsOf = (...types: readonly string[]) => {
    const content = attachments.find(({ mimeType }) => types.includes(mimeType))?.content
    return typeof content === 'string' ? content.split(BLANK_LINE) : []
  }
  const [, messageId] = MESSAGE_ID.exec(groupsOf('message/rfc822', 'text/rfc822-headers')[0] ?? '') ?? []
  const failed = groupsOf('message/delivery-status').find((group) => /^action:\s*failed\b/im.test(group))
  const [, failure] = /^status:\s*(5\.\d{1,3}\.\d{1,3})\b/im.exec(failed ?? '') ?? []
  const isComplaint = /^feedback-type:\s*abuse\b/im.test(groupsOf('message/feedback-report')[0] ?? '')
  const status = isComplaint ? COMPLAINT : failure
  return messageId === undefined || status === undefined ? undefined : { messageId, status }
}
