import { UnrecoverableError } from 'bullmq'

const LENGTH_MAX = 300
const EMAIL_ADDRESS = /[^\s<>"'()[\],;:]+@[^\s<>"'()[\],;:]+/g
/** Query strings and fragments may contain tokens. */
const QUERY = /(\bhttps?:\/\/[^\s?#]+)[?#]\S*/g
/** PostgreSQL quotes identifiers and also values. An apostrophe within a word is no quotation mark. */
const QUOTED = /(\b\w+ )?((?<!\w)["'`“«])[^"'`”»\n]*["'`”»]/g
const NAMED = new Set(['relation', 'table', 'column', 'constraint', 'function', 'type', 'index', 'schema', 'role', 'database'])

/** Returns class, code and message in one line, without e-mail addresses, quoted values and tokens of links. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'Error: a value that is not an Error was thrown'
  const { code } = error as { code?: unknown }
  const codeText = typeof code === 'string' || typeof code === 'number' ? ` ${String(code).slice(0, 40)}` : ''
  return `${error.name}${codeText}: ${redactMessage(error)}`
}

/** Returns an error that may be stored and shown. Its cause is the original, for the log only, if a part of its message is left out. `UnrecoverableError` stays one. */
export function redactError(error: unknown): Error {
  const message = error instanceof Error ? redactMessage(error) : describeError(error)
  const redacted =
    error instanceof UnrecoverableError
      ? new UnrecoverableError(message)
      : Object.assign(new Error(message), { name: errorName(error) })
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : []
  redacted.stack = [`${redacted.name}: ${message}`, ...frames].join('\n')
  // Loggers add the message of the cause, so that an unchanged one would be there twice.
  redacted.cause = error instanceof Error && error.message === message ? error.cause : error
  return redacted
}

const errorName = (error: unknown) => (error instanceof Error ? error.name : 'Error')

/** The lines after the first are details such as the statement with its values. */
function redactMessage({ message }: Error): string {
  const line = message.trim().split('\n')[0] ?? ''
  return line
    .replaceAll(EMAIL_ADDRESS, '…@…')
    .replaceAll(QUERY, '$1?…')
    .replaceAll(QUOTED, (whole, before: string | undefined, quote: string) =>
      NAMED.has(before?.trim() ?? '') ? whole : `${before ?? ''}${quote}…${quote}`,
    )
    .slice(0, LENGTH_MAX)
}
