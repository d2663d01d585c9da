import type { Point } from '../../geo/point.ts'
import { timeZoneAt } from '../../geo/time-zone.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { Upload } from '../../http/request/upload.ts'
import { formatPin, parsePin } from '../map/drawn/drawn-view.ts'
import { parseReportFields } from '../../reporting/report-fields.ts'
import type { RequestType, RequestTypeQuestion } from '../../request-types/schema.ts'
import { readText, type FormValues, toFormValues } from '../../html/form-input.ts'

export const PROBLEM_WORDS_MAX = 255

export interface ReportProgress {
  readonly point: Point | undefined
  readonly requestType: number | 'other' | undefined
  /** Errors of sent values. A missing value is not an error yet. */
  readonly errors: ValidationErrors
}

/** @param values `lat` and `lng`, then `type` or `request_type_id` once it is chosen */
export function readProgress(values: FormValues): ReportProgress {
  const [lat, lng] = [readText(values, 'lat').trim(), readText(values, 'lng').trim()]
  const request_type_id = readText(values, 'type') || readText(values, 'request_type_id')
  const { fields, errors } = parseReportFields({ lat, lng, request_type_id })
  const hasPoint = lat !== '' || lng !== ''
  const pointErrors = Object.entries(errors).filter(([name]) => hasPoint && (name === 'lat' || name === 'lng'))
  return { point: fields.point, requestType: fields.requestType, errors: Object.fromEntries(pointErrors) }
}

/** Returns what the resident wrote about the problem before choosing a type, without code units that PostgreSQL cannot store. */
export const readProblemWords = (values: FormValues): string =>
  readText(values, 'words').replaceAll('\0', ' ').trim().slice(0, PROBLEM_WORDS_MAX).toWellFormed()

/** Returns what the steps of a report carry to the choice of a point, as parameters of a link. */
export function carriedParameters(values: FormValues) {
  const type = readText(values, 'type')
  const from = parsePin(readText(values, 'from'))
  return {
    words: readProblemWords(values) || undefined,
    type: /^(other|[1-9]\d{0,9})$/.test(type) ? type : undefined,
    from: from && formatPin(from),
  }
}

export type CarriedParameters = ReturnType<typeof carriedParameters>

/** Returns first values of the form: the words as the summary, and the address of the point. */
export function withSuggestions(
  { questions }: RequestType,
  { words, address }: { readonly words: string; readonly address: string | undefined },
): FormValues {
  const key = ['summary', 'description'].find((name) => questions.some(({ primary_key }) => primary_key === name))
  return {
    ...(address === undefined ? {} : { address }),
    ...(words === '' || key === undefined ? {} : { answers: { [key]: words } }),
  }
}

export function answerValues(values: FormValues, { primary_key }: RequestTypeQuestion): readonly string[] {
  const answer = toFormValues(values['answers'])[primary_key]
  return [answer].flat().filter((value): value is string => typeof value === 'string')
}

/** Browsers cannot fill in a file field again, so the form asks for the file once more. */
export const hasUploadedFile = (values: FormValues, { primary_key }: RequestTypeQuestion): boolean =>
  [toFormValues(values['answers'])[primary_key]].flat().some((value) => value instanceof Upload)

export const chosenTimeZone = (values: FormValues, { primary_key }: RequestTypeQuestion) =>
  readText(toFormValues(values['zone']), primary_key)

const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
export const TIME_ZONE = /^[+-]\d{2}:\d{2}$/

/** Adds the chosen time zone, because a browser's date and time has none. */
export function toReportBody(values: FormValues, questions: readonly RequestTypeQuestion[]): FormValues {
  const answers: Record<string, unknown> = { ...toFormValues(values['answers']) }
  for (const question of questions.filter(({ question_type }) => question_type === 'datetime')) {
    const [local = ''] = answerValues(values, question)
    const zone = chosenTimeZone(values, question)
    if (!LOCAL_DATE_TIME.test(local) || !TIME_ZONE.test(zone)) continue
    answers[question.primary_key] = `${local.length === 16 ? `${local}:00` : local}${zone}`
  }
  return { ...values, answers }
}

export const timeZones = [
  ...['-12:00', '-11:00', '-10:00', '-09:30', '-09:00', '-08:00', '-07:00', '-06:00', '-05:00', '-04:00', '-03:30', '-03:00'],
  ...['-02:30', '-02:00', '-01:00', '+00:00', '+01:00', '+02:00', '+03:00', '+03:30', '+04:00', '+04:30', '+05:00', '+05:30'],
  ...['+05:45', '+06:00', '+06:30', '+07:00', '+08:00', '+08:45', '+09:00', '+09:30', '+10:00', '+10:30', '+11:00', '+12:00'],
  ...['+12:45', '+13:00', '+13:45', '+14:00'],
]

/** Returns the offset of the place's own time zone now, as the preselected choice for browsers without scripts. */
export function estimateTimeZone(point: Point, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: timeZoneAt(point), timeZoneName: 'longOffset' }).formatToParts(now)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '')
  return offset && timeZones.includes(offset) ? offset : '+00:00'
}
