import { readTimestamp, withPlus } from '../http/schema/timestamps.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import { DESCRIPTION_MAX, SUMMARY_MAX } from '../issues/limits.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'

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
  readonly faults: Readonly<Record<string, readonly string[]>>
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
  const faults: Record<string, string[]> = {}
  questions.forEach((question, position) => {
    const { primary_key, question_type } = question
    if (question_type === 'note') return
    const value = Object.hasOwn(given, primary_key) ? given[primary_key] : undefined
    if (question_type === 'file') {
      if (!files.has(primary_key)) refuseNoFile(question, value, (text) => (faults[primary_key] = [text]))
      return
    }
    if (isBlank(value) && !isKey(value, question)) {
      if (question.response_required) faults[primary_key] = ['must not be blank']
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

function refuseNoFile({ response_required }: RequestTypeQuestion, value: unknown, refuse: (text: string) => void): void {
  if (!isBlank(value)) refuse('must be a file, sent as multipart/form-data')
  else if (response_required) refuse('must not be blank')
}

/** Forms send blank text for what nobody filled in, and an empty list may come as a list with a blank. */
function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return isBlankText(value)
  return Array.isArray(value) && value.every(isBlank)
}

type Read = { readonly answer: string; readonly value: CheckedAnswer['value'] } | { readonly fault: string }
type Reader = (value: unknown, question: RequestTypeQuestion) => Read

const readers: Record<Exclude<RequestTypeQuestion['question_type'], 'note' | 'file'>, Reader> = {
  text: (value) => textOf(value, TEXT_MAX),
  textarea: (value) => textOf(value, TEXTAREA_MAX),
  select(value, question) {
    const choice = choicesOf(question).find(({ key }) => key === value)
    return choice ? { answer: choice.name, value: choice.key } : { fault: `must be one of ${keysOf(question)}` }
  },
  multivaluelist(value, question) {
    const keys = Array.isArray(value) ? [...new Set<unknown>(value)] : [value]
    const chosen = choicesOf(question).filter(({ key }) => keys.includes(key))
    if (chosen.length < keys.length) return { fault: `must be a list of one or more of ${keysOf(question)}` }
    return { answer: chosen.map(({ name }) => name).join(', '), value: chosen.map(({ key }) => key) }
  },
  number(value) {
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
    if (!/^[-+]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(text))
      return { fault: 'must be a number, in digits, with a point before decimals' }
    return { answer: text, value: Number(text) }
  },
  datetime(value) {
    const text = typeof value === 'string' ? withPlus(value.trim()) : ''
    return text.includes('T') && readTimestamp(text) !== undefined
      ? { answer: text, value: text }
      : { fault: 'must be an ISO 8601 timestamp such as 2026-11-20T09:30:00Z' }
  },
  boolean(value) {
    if (value === true || value === 'true') return { answer: 'Yes', value: true }
    if (value === false || value === 'false') return { answer: 'No', value: false }
    return { fault: 'must be true or false' }
  },
}

function textOf(value: unknown, max: number): Read {
  if (typeof value !== 'string') return { fault: 'must be text' }
  const text = value.trim()
  return [...text].length > max ? { fault: `must not have more than ${max} characters` } : { answer: text, value: text }
}

const choicesOf = ({ select_values }: RequestTypeQuestion) => select_values ?? []

/** Keys are compared code point by code point, without trimming or normalising: one may be a character that is drawn as nothing. */
const isKey = (value: unknown, question: RequestTypeQuestion) => choicesOf(question).some(({ key }) => key === value)
const keysOf = (question: RequestTypeQuestion) =>
  choicesOf(question)
    .map(({ key }) => key)
    .join(', ')
