import type { Urls } from '../http/request/urls.ts'
import { type Language, textsIn } from '../locales/texts.ts'
import { translateQuestion } from '../request-types/present.ts'
import type { AnswerRow, DetailsRow } from './details-queries.ts'
import type { IssueRow } from './queries.ts'

export interface PresentedAnswer {
  readonly question: string
  readonly answer: string
  /** The language of the question; null if it is unknown. */
  readonly question_language: string | null
  /** The language of the names of chosen options; null for a text of the reporter. */
  readonly answer_language: string | null
}

/** Returns the answers in a language where question and choices still have the words that were answered; null is their own. */
export function toAnswers(
  { request_type }: Pick<IssueRow, 'request_type'>,
  { questions }: Pick<DetailsRow, 'questions'>,
  urls: Urls,
  language: Language | null,
): PresentedAnswer[] {
  return questions.map((row) => {
    const file = fileOf(row.value)
    const answer = translateAnswer(row, request_type?.language ?? null, language)
    return file === undefined ? answer : { ...answer, answer: urls.at(`/files/${file}`) }
  })
}

/** @param own the language of the request type; null without one */
function translateAnswer({ answer, value, ...asked }: AnswerRow, own: string | null, wanted: Language | null): PresentedAnswer {
  const yesNo = writeYesOrNo(answer, value, wanted)
  const written = yesNo === undefined ? { answer, answer_language: null } : { answer: yesNo, answer_language: wanted }
  if (own === null) return { question: asked.question, question_language: null, ...written }
  const shown = translateQuestion(asked, own, wanted)
  const isChosen = namesOf(value, asked.select_values) === answer
  return {
    question: shown.question,
    question_language: shown.language,
    ...(isChosen ? { answer: namesOf(value, shown.select_values) ?? answer, answer_language: shown.language } : written),
  }
}

function fileOf(value: unknown): string | undefined {
  const file = typeof value === 'object' && value !== null && 'file' in value ? value.file : undefined
  return typeof file === 'string' ? file : undefined
}

/** Answers to yes or no are stored in English. */
function writeYesOrNo(answer: string, value: unknown, wanted: Language | null): string | undefined {
  if (typeof value !== 'boolean' || wanted === null || answer !== (value ? 'Yes' : 'No')) return undefined
  return textsIn(wanted)(value ? 'report.yes' : 'report.no')
}

function namesOf(value: unknown, choices: AnswerRow['select_values']): string | undefined {
  const names = [value].flat().map((key) => choices?.find((choice) => choice.key === key)?.name)
  return names.length > 0 && names.every((name) => name !== undefined) ? names.join(', ') : undefined
}
