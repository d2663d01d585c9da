import { text } from '../../locales/texts.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Body } from '../input/body.ts'
import { invalidParameter } from '../input/parameters.ts'
import { isAttribute } from '../services/present.ts'
import type { ReportedLocation } from './location.ts'
import { SUMMARY_MAX } from '../../issues/schema.ts'

export interface ReportedIssue {
  /** The id of the request type, or `other`. */
  readonly code: string
  readonly questions: readonly RequestTypeQuestion[]
  readonly location: ReportedLocation
}

/** Returns the body that `reportIssue` checks. @throws Problem 422 for files that the service does not ask for */
export function toReport({ fields, attributes, files }: Body, { code, questions, location }: ReportedIssue) {
  const { point, address } = location
  const asksFor = (key: string) => questions.find(({ primary_key }) => primary_key === key)
  if (files.length > 0 && !asksFor('issue_image')) throw invalidParameter('media', text('media_not_accepted'))
  const description = fields.get('description')
  return {
    address,
    lat: point.lat,
    lng: point.lng,
    request_type_id: code,
    device_id: fields.get('device_id') ?? null,
    answers: {
      ...(description === undefined ? {} : splitDescription(description, asksFor('description')?.response_required ?? false)),
      ...toAnswers(questions, attributes),
      ...(files.length === 0 ? {} : { issue_image: files.length === 1 ? files[0] : files }),
    },
  }
}

/** Clients may send one value as a list of one. Codes that the service does not have are ignored, as GeoReport v2 ignores unknown fields. */
function toAnswers(questions: readonly RequestTypeQuestion[], attributes: Readonly<Record<string, unknown>>) {
  const answers = questions.filter(isAttribute).flatMap((question): [string, unknown][] => {
    const { primary_key, question_type } = question
    if (!Object.hasOwn(attributes, primary_key)) return []
    const value = attributes[primary_key]
    const isListOfOne = Array.isArray(value) && value.length === 1 && question_type !== 'multivaluelist'
    return [[primary_key, isListOfOne ? (value as unknown[])[0] : value]]
  })
  return Object.fromEntries(answers)
}

interface IssueTexts {
  readonly summary: string
  readonly description?: string
}

/**
 * Returns the summary and description of an issue for the one text of GeoReport v2, which has no blanks around it. The first line is the
 * summary, so that `toServiceRequest` gives the same paragraphs again; a longer one is cut at a word, and the whole text is the description.
 * @param isRequired whether the service requires a description besides the summary
 */
function splitDescription(text: string, isRequired: boolean): IssueTexts {
  const end = text.search(/\r?\n/)
  const summary = end < 0 ? text : text.slice(0, end).trim()
  if (countCharacters(summary) > SUMMARY_MAX) return { summary: shorten(summary), description: text }
  const description = end < 0 ? '' : text.slice(end).trim()
  if (description !== '') return { summary, description }
  return isRequired ? { summary, description: summary } : { summary }
}

const countCharacters = (text: string) => [...text].length

function shorten(text: string): string {
  const start = [...text].slice(0, SUMMARY_MAX - 1).join('')
  const lastSpace = start.lastIndexOf(' ')
  return `${(lastSpace > SUMMARY_MAX / 2 ? start.slice(0, lastSpace) : start).trimEnd()}…`
}
