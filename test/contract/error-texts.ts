import type { Answered } from './every-answer.ts'

/**
 * The texts of an error answer that was written in English: the message, or those of its fields. OAuth's own answers are none of them: their
 * `error_description` may have no letter that is not in ASCII (RFC 6749, 5.2), so it is English for everybody.
 */
export function englishTextsOf({ statusCode, headers, payload }: Answered): string[] {
  const isJson = String(headers['content-type']).startsWith('application/json')
  if (statusCode < 400 || !isJson || headers['content-language'] !== 'en') return []
  const body: unknown = payload === '' ? undefined : JSON.parse(payload)
  const isOAuth = typeof body === 'object' && body !== null && 'error_description' in body
  return isOAuth ? [] : textsIn(body)
}

const NO_TEXT = new Set(['documentation_url', 'request_id'])

function textsIn(node: unknown): string[] {
  if (typeof node === 'string') return [node]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => (NO_TEXT.has(name) ? [] : textsIn(value)))
}
