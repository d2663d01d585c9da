import { text, type Text } from '../locales/texts.ts'
import { readTimestamp, withPlus, isBlankText } from '../http/schema/fields.ts'
import { DESCRIPTION_MAX, SUMMARY_MAX } from '../issues/schema.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'

/** `answer` is the text for people, `value` the submitted value. */
export interface CheckedAnswer {
  readonly primary_key: string
  readonly question: string
  readonly answer: string
  readonly value: string | number | boolean | readonly string[]
  readonly answer_kept_private: boolean
  readonly position: number
}

interface CheckedAnswers {
  /** The answers in the order of the questions, without blank answers and files. */
  readonly answers: readonly CheckedAnswer[]
  /** Validation errors by the primary key of the question. */
  readonly errors: Readonly<Record<string, readonly Text[]>>
}

const TEXT_MAX = SUMMARY_MAX
const TEXTAREA_MAX = DESCRIPTION_MAX

/**
 * Checks all answers to the questions of a request type and ignores answers to other questions.
 * @param input values by primary key: text, or the JSON type of the question; an array of keys for `multivaluelist`
 * @param files primary keys of the uploaded files
 */
export function checkAnswers(
  questions: readonly RequestTypeQuestion[],
  input: Readonly<Record<string, unknown>>,
  files: ReadonlySet<string> = new Set(),
): CheckedAnswers {
  const answers: CheckedAnswer[] = []
  const errors: Record<string, Text[]> = {}
  questions.forEach((question, position) => {
    const { primary_key, question_type } = question
    if (question_type === 'note') return
    const value = Object.hasOwn(input, primary_key) ? input[primary_key] : undefined
    if (question_type === 'file') {
      if (!files.has(primary_key)) checkMissingFile(question, value, (error) => (errors[primary_key] = [error]))
      return
    }
    if (isBlank(value) && !isChoiceKey(value, question)) {
      if (question.response_required) errors[primary_key] = [text('is_blank')]
      return
    }
    const parsed = parsers[question_type](value, question)
    if ('error' in parsed) errors[primary_key] = [parsed.error]
    else answers.push({ ...questionFields(question), ...parsed, position })
  })
  return { answers, errors }
}

const questionFields = ({ primary_key, question, answer_kept_private }: RequestTypeQuestion) => ({
  primary_key,
  question,
  answer_kept_private,
})

function checkMissingFile({ response_required }: RequestTypeQuestion, value: unknown, reject: (error: Text) => void): void {
  if (!isBlank(value)) reject(text('must_be', { allowed: text('uploaded_file') }))
  else if (response_required) reject(text('is_blank'))
}

/** Forms send blank text for empty fields, and an empty list may come as a list with one blank text. */
function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return isBlankText(value)
  return Array.isArray(value) && value.every(isBlank)
}

type ParsedAnswer = { readonly answer: string; readonly value: CheckedAnswer['value'] } | { readonly error: Text }
type AnswerParser = (value: unknown, question: RequestTypeQuestion) => ParsedAnswer

const parsers: Record<Exclude<RequestTypeQuestion['question_type'], 'note' | 'file'>, AnswerParser> = {
  text: (value) => parseText(value, TEXT_MAX),
  textarea: (value) => parseText(value, TEXTAREA_MAX),
  select(value, question) {
    const choice = choices(question).find(({ key }) => key === value)
    return choice
      ? { answer: choice.name, value: choice.key }
      : { error: text('must_be', { allowed: text('one_of', { values: choiceKeys(question) }) }) }
  },
  multivaluelist(value, question) {
    const keys = Array.isArray(value) ? [...new Set<unknown>(value)] : [value]
    const chosen = choices(question).filter(({ key }) => keys.includes(key))
    if (chosen.length < keys.length)
      return { error: text('must_be', { allowed: text('list_of', { values: choiceKeys(question) }) }) }
    return { answer: chosen.map(({ name }) => name).join(', '), value: chosen.map(({ key }) => key) }
  },
  number(value) {
    const trimmed = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
    if (!/^[-+]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/.test(trimmed))
      return { error: text('must_be', { allowed: text('decimal_number') }) }
    return { answer: trimmed, value: Number(trimmed) }
  },
  datetime(value) {
    const trimmed = typeof value === 'string' ? withPlus(value.trim()) : ''
    return trimmed.includes('T') && readTimestamp(trimmed) !== undefined
      ? { answer: trimmed, value: trimmed }
      : { error: text('must_be', { allowed: text('timestamp', { example: '2026-11-20T09:30:00Z' }) }) }
  },
  boolean(value) {
    if (value === true || value === 'true') return { answer: 'Yes', value: true }
    if (value === false || value === 'false') return { answer: 'No', value: false }
    return { error: text('must_be', { allowed: text('true_or_false') }) }
  },
}

function parseText(value: unknown, max: number): ParsedAnswer {
  if (typeof value !== 'string') return { error: text('must_be', { allowed: text('any_text') }) }
  const trimmed = value.trim()
  return [...trimmed].length > max ? { error: text('has_too_many_characters', { max }) } : { answer: trimmed, value: trimmed }
}

const choices = ({ select_values }: RequestTypeQuestion) => select_values ?? []

/** Keys are compared without trimming or normalizing, because a key may be an invisible character. */
const isChoiceKey = (value: unknown, question: RequestTypeQuestion) => choices(question).some(({ key }) => key === value)
const choiceKeys = (question: RequestTypeQuestion) =>
  choices(question)
    .map(({ key }) => key)
    .join(', ')
