import { text, type Text } from '../locales/texts.ts'
import type { Point } from '../geo/shapes.ts'
import { idMax, isBlankText } from '../http/schema/fields.ts'
import { DEVICE_MAX } from './report-schema.ts'
import { ADDRESS_MAX, ISSUE_IMAGES_MAX } from '../issues/schema.ts'

/** The fields of a report; an invalid field is undefined. */
export interface ReportFields {
  readonly address: string | undefined
  readonly point: Point | undefined
  readonly requestType: number | 'other' | undefined
  readonly answers: Readonly<Record<string, unknown>>
  readonly anonymous: boolean
  readonly device_id: string | null
  readonly device_os: string | null
  readonly device_name: string | null
}

export type FieldErrors = Record<string, readonly Text[]>

/** Errors of a form with more pictures than a report may have. */
export const TOO_MANY_PICTURES: FieldErrors = { issue_image: [text('too_many_pictures', { max: ISSUE_IMAGES_MAX })] }

const BOOLEAN_VALUES: readonly unknown[] = [true, false, 'true', 'false']
const BLANK = text('is_blank')

/** Numbers in forms have plain decimal digits, as in `compilers.ts`. */
const DECIMAL = /^[+-]?(\d{1,3}(\.\d{0,20})?|\.\d{1,20})$/

export function parseReportFields(body: unknown): { fields: ReportFields; errors: FieldErrors } {
  const input = isObject(body) ? body : {}
  const errors: FieldErrors = {}
  const value = (name: string) => (Object.hasOwn(input, name) ? input[name] : undefined)
  const reject = (name: string, error: Text) => {
    errors[name] = [error]
    return undefined
  }

  const parseDegrees = (name: 'lat' | 'lng', max: number) => {
    const raw = value(name)
    if (isBlank(raw)) return reject(name, BLANK)
    const number = typeof raw === 'number' ? raw : typeof raw === 'string' && DECIMAL.test(raw.trim()) ? Number(raw) : NaN
    return Math.abs(number) <= max
      ? number
      : reject(name, text('must_be', { allowed: text('degrees_between', { min: -max, max }) }))
  }
  const parseText = (name: string, max: number) => {
    const raw = value(name)
    if (isBlank(raw)) return null
    if (typeof raw !== 'string') return reject(name, text('must_be', { allowed: text('any_text') })) ?? null
    return [...raw.trim()].length <= max ? raw.trim() : (reject(name, text('has_too_many_characters', { max })) ?? null)
  }

  const address = parseText('address', ADDRESS_MAX) ?? undefined
  if (address === undefined && !errors['address']) reject('address', BLANK)
  const [lat, lng] = [parseDegrees('lat', 90), parseDegrees('lng', 180)]
  const point = lat === undefined || lng === undefined ? reject('point', text('point_required')) : { lng, lat }
  const requestType = parseRequestType(value('request_type_id'), (error) => reject('request_type_id', error))
  const answers = value('answers') ?? {}
  if (!isObject(answers)) reject('answers', text('answers_not_by_key'))
  const anonymous = value('anonymize_reporter')
  if (!isBlank(anonymous) && !BOOLEAN_VALUES.includes(anonymous))
    reject('anonymize_reporter', text('must_be', { allowed: text('true_or_false') }))
  const parseDevice = (name: string) => parseText(name, DEVICE_MAX)
  const fields = {
    address,
    point,
    requestType,
    answers: isObject(answers) ? answers : {},
    anonymous: anonymous === true || anonymous === 'true',
    device_id: parseDevice('device_id'),
    device_os: parseDevice('device_os'),
    device_name: parseDevice('device_name'),
  }
  return { fields, errors }
}

function parseRequestType(raw: unknown, reject: (error: Text) => undefined): number | 'other' | undefined {
  if (raw === null || raw === 'other') return 'other'
  if (isBlank(raw)) return reject(BLANK)
  const id = typeof raw === 'number' ? raw : typeof raw === 'string' && /^[1-9]\d{0,9}$/.test(raw) ? Number(raw) : NaN
  return Number.isInteger(id) && id >= 1 && id <= idMax ? id : reject(INVALID_REQUEST_TYPE)
}

export const INVALID_REQUEST_TYPE = text('must_be', { allowed: text('request_type_id_or_other') })

const isBlank = (raw: unknown) => raw === undefined || raw === null || (typeof raw === 'string' && isBlankText(raw))

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
