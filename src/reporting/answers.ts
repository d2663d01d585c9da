import { readTimestamp, withPlus } from '../http/schema/timestamps.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import { DESCRIPTION_MAX, SUMMARY_MAX } from '../issues/limits.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'
import { text, type Text } from '../errors/texts/text.ts'

/** An answer as it is kept: `answer` is what people read, `value` what was submitted. */
export interface CheckedAnswer {
  readonly primary_key: string
  readonly question: string
  readonly answer: string
  readonly value: string | number | boolean | readonly string[]
  readonly answer_kept_private: boolean
  readonly position: number
}

export interface CheckedAnswers {
  /** In the order of the questions; those that were left blank do not stand here. Files do not either. */
  readonly answers: readonly CheckedAnswer[]
  /** Texts for the fields at fault, by the primary key of their question; empty when all is well. */
  readonly faults: Readonly<Record<string, readonly Text[]>>
}

const TEXT_MAX = SUMMARY_MAX
const TEXTAREA_MAX = DESCRIPTION_MAX

/**
 * Checks the answers to the questions of a request type, all of them at once. Answers to other questions are not looked at.
 * @param given by primary key: text, or the type that JSON has for it; an array of keys for `multivaluelist`
 * @param files primary keys for which a file came along
 */
export function checkAnswers(
  questions: readonly RequestTypeQuestion[],
  given: Readonly<Record<string, unknown>>,
  files: ReadonlySet<string> = new Set(),
): CheckedAnswers {
  const answers: CheckedAnswer[] = []
  const faults: Record<string, Text[]> = {}
  questions.forEach((question, position) => {
    const { primary_key, question_type } = question
    if (question_type === 'note') return
    const value = Object.hasOwn(given, primary_key) ? given[primary_key] : undefined
    if (question_type === 'file') {
      if (!files.has(primary_key)) refuseNoFile(question, value, (fault) => (faults[primary_key] = [fault]))
      return
    }
    if (isBlank(value) && !isKey(value, question)) {
      if (question.response_required) faults[primary_key] = [text('is_blank')]
      return
    }
    const read = readers[question_type](value, question)
    if ('fault' in read) faults[primary_key] = [read.fault]
    else answers.push({ ...pickOf(question), ...read, position })
  })
  return { answers, faults }
}

const pickOf = ({ primary_key, question, answer_kept_private }: RequestTypeQuestion) => ({
  primary_key,
  question,
  answer_kept_private,
})

function refuseNoFile({ response_required }: RequestTypeQuestion, value: unknown, refuse: (fault: Text) => void): void {
  if (!isBlank(value)) refuse(text('must_be', { allowed: text('uploaded_file') }))
  else if (response_required) refuse(text('is_blank'))
}

/** Forms send blank text for what nobody filled in, and an empty list may come as a list with a blank. */
function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return isBlankText(value)
  return Array.isArray(value) && value.every(isBlank)
}

type Read = { readonly answer: string; readonly value: CheckedAnswer['value'] } | { readonly fault: Text }
type Reader = (value: unknown, question: RequestTypeQuestion) => Read

const readers: Record<Exclude<RequestTypeQuestion['question_type'], 'note' | 'file'>, Reader> = {
  text: (value) => textOf(value, TEXT_MAX),
  textarea: (value) => textOf(value, TEXTAREA_MAX),
  select(value, question) {
    const choice = choicesOf(question).find(({ key }) => key === value)
    return choice
      ? { answer: choice.name, value: choice.key }
      : { fault: text('must_be', { allowed: text('one_of', { values: keysOf(question) }) }) }
  },
  multivaluelist(value, question) {
    const keys = Array.isArray(value) ? [...new Set<unknown>(value)] : [value]
    const chosen = choicesOf(question).filter(({ key }) => keys.includes(key))
    if (chosen.length < keys.length) return { fault: text('must_be', { allowed: text('list_of', { values: keysOf(question) }) }) }
    return { answer: chosen.map(({ name }) => name).join(', '), value: chosen.map(({ key }) => key) }
  },
  number(value) {
    const typed = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
    if (!/^[-+]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(typed))
      return { fault: text('must_be', { allowed: text('decimal_number') }) }
    return { answer: typed, value: Number(typed) }
  },
  datetime(value) {
    const typed = typeof value === 'string' ? withPlus(value.trim()) : ''
    return typed.includes('T') && readTimestamp(typed) !== undefined
      ? { answer: typed, value: typed }
      : { fault: text('must_be', { allowed: text('timestamp', { example: '2026-11-20T09:30:00Z' }) }) }
  },
  boolean(value) {
    if (value === true || value === 'true') return { answer: 'Yes', value: true }
    if (value === false || value === 'false') return { answer: 'No', value: false }
    return { fault: text('must_be', { allowed: text('true_or_false') }) }
  },
}

function textOf(value: unknown, max: number): Read {
  if (typeof value !== 'string') return { fault: text('must_be', { allowed: text('any_text') }) }
  const typed = value.trim()
  return [...typed].length > max ? { fault: text('has_too_many_characters', { max }) } : { answer: typed, value: typed }
}

const choicesOf = ({ select_values }: RequestTypeQuestion) => select_values ?? []

/** Keys are compared code point by code point, without trimming or normalising: one may be a character that is drawn as nothing. */
const isKey = (value: unknown, question: RequestTypeQuestion) => choicesOf(question).some(({ key }) => key === value)
const keysOf = (question: RequestTypeQuestion) =>
  choicesOf(question)
    .map(({ key }) => key)
    .join(', ')
