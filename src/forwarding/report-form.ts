import { createHash } from 'node:crypto'

import { type ParsedRecord, listOf, textOf } from '../georeport/parse-response.ts'
import type { Urls } from '../http/request/urls.ts'
import type { Report } from './report-queries.ts'

/** GeoReport v2 allows 4,000 characters; endpoints may add some of their own before they list them. */
const TEXT_MAX = 3_500

/** The address of the issue is in the description of the service request, which is the only text that every endpoint returns. */
export const referenceTo = (issueId: number, urls: Urls): string => urls.at(`/issues/${issueId}`)

export function containsReference(description: string, reference: string): boolean {
  const position = description.indexOf(reference)
  return position >= 0 && !/^\d/.test(description.slice(position + reference.length))
}

/**
 * Returns the form of `POST requests`. Answers to questions that the service has as attributes become attributes; other public answers
 * are in the description, and other private ones are not sent, because endpoints publish descriptions.
 */
export function toReportForm(report: Report, attributes: readonly ParsedRecord[], urls: Urls): URLSearchParams {
  const form = new URLSearchParams({
    service_code: report.service_code,
    lat: String(report.lat),
    long: String(report.lng),
  })
  const add = (name: string, value: string | null) => {
    if (value !== null && value !== '') form.set(name, value)
  }
  const lines: string[] = []
  for (const answer of report.answers) {
    const attribute = attributes.find((one) => isSameText(textOf(one, 'description'), answer.question))
    const entries = attribute && toAttribute(attribute, answer)
    for (const [name, value] of entries ?? []) form.append(name, value)
    if (!entries && !answer.is_private) lines.push(`${answer.question}: ${answerText(answer, urls)}`)
  }
  add('description', toDescription(report, lines, referenceTo(report.issue_id, urls)))
  add('address_string', report.address)
  add('media_url', report.image === null ? report.video_url : urls.at(`/files/${report.image}`))
  const [first, ...last] = report.reporter_name?.split(/\s+/) ?? []
  add('first_name', first ?? null)
  add('last_name', last.join(' '))
  add('email', report.reporter_email)
  return form
}

/** The key is the same for the same content, so that an edited report is no misuse of an earlier key. */
export function idempotencyKey(key: string, form: URLSearchParams): string {
  return createHash('sha256').update(`${key} ${form}`).digest('hex').slice(0, 32)
}

function toDescription({ summary, description }: Report, lines: readonly string[], reference: string): string {
  const text = [summary, ...(description === null || description === summary ? [] : [description]), ...lines].join('\n\n')
  const end = `\n\nReference: ${reference}`
  const characters = [...text]
  const max = TEXT_MAX - end.length
  return (characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`) + end
}

type Answer = Report['answers'][number]

/** Returns undefined for a value that the attribute does not offer. */
function toAttribute(attribute: ParsedRecord, { answer, value }: Answer): [string, string][] | undefined {
  const code = textOf(attribute, 'code')
  if (code === undefined || isFile(value)) return undefined
  const choices = listOf(attribute, 'values')
  if (choices.length === 0) return [[`attribute[${code}]`, answer]]
  const keys = (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => {
    const text = String(one)
    const choice =
      choices.find((entry) => isSameText(textOf(entry, 'key'), text) || isSameText(textOf(entry, 'name'), text)) ??
      choices.find((entry) => isSameText(textOf(entry, 'name'), answer))
    return choice && textOf(choice, 'key')
  })
  if (keys.includes(undefined)) return undefined
  const name = Array.isArray(value) ? `attribute[${code}][]` : `attribute[${code}]`
  return keys.map((key) => [name, key ?? ''])
}

const isFile = (value: unknown): value is { file: string } => typeof value === 'object' && value !== null && 'file' in value

const answerText = ({ answer, value }: Answer, urls: Urls) => (isFile(value) ? urls.at(`/files/${value.file}`) : answer)

const isSameText = (a: string | undefined, b: string) => a?.trim().toLowerCase() === b.trim().toLowerCase()
