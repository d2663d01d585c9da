import type { Point } from '../geo/point.ts'
import { idMax } from '../http/schema/fields.ts'
import { isBlankText } from '../http/schema/visible-text.ts'
import { DEVICE_MAX } from './report-schema.ts'
import { ADDRESS_MAX } from '../issues/limits.ts'
import { text, type Text } from '../errors/texts/text.ts'

/** The fields of a report, each checked by itself. What is at fault is undefined. */
export interface ReportFields {
  readonly address: string | undefined
  readonly point: Point | undefined
  /** Undefined where it is no id at all. */
  readonly requestType: number | 'other' | undefined
  readonly answers: Readonly<Record<string, unknown>>
  readonly anonymous: boolean
  readonly device_id: string | null
  readonly device_os: string | null
  readonly device_name: string | null
}

export type ReportFaults = Record<string, readonly Text[]>

const YES_OR_NO: readonly unknown[] = [true, false, 'true', 'false']
const BLANK = text('is_blank')

/** Text of a form: plain decimal digits and no more, as `text-values.ts` reads them everywhere else. */
const DECIMAL = /^[+-]?(\d{1,3}(\.\d{0,20})?|\.\d{1,20})$/

/** Reads what came as JSON or as a form, all of it at once: whoever mistyped three things learns of all three. */
export function readReportFields(body: unknown): { fields: ReportFields; faults: ReportFaults } {
  const given = isObject(body) ? body : {}
  const faults: ReportFaults = {}
  const value = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined)
  const refuse = (name: string, fault: Text) => {
    faults[name] = [fault]
    return undefined
  }

  const degrees = (name: 'lat' | 'lng', max: number) => {
    const raw = value(name)
    if (isBlank(raw)) return refuse(name, BLANK)
    const number = typeof raw === 'number' ? raw : typeof raw === 'string' && DECIMAL.test(raw.trim()) ? Number(raw) : NaN
    return Math.abs(number) <= max
      ? number
      : refuse(name, text('must_be', { allowed: text('degrees_between', { min: -max, max }) }))
  }
  const textOf = (name: string, max: number) => {
    const raw = value(name)
    if (isBlank(raw)) return null
    if (typeof raw !== 'string') return refuse(name, text('must_be', { allowed: text('any_text') })) ?? null
    return [...raw.trim()].length <= max ? raw.trim() : (refuse(name, text('has_too_many_characters', { max })) ?? null)
  }

  const address = textOf('address', ADDRESS_MAX) ?? undefined
  if (address === undefined && !faults['address']) refuse('address', BLANK)
  const [lat, lng] = [degrees('lat', 90), degrees('lng', 180)]
  const point = lat === undefined || lng === undefined ? refuse('point', text('point_not_given')) : { lng, lat }
  const requestType = requestTypeOf(value('request_type_id'), (fault) => refuse('request_type_id', fault))
  const answers = value('answers') ?? {}
  if (!isObject(answers)) refuse('answers', text('answers_not_by_key'))
  const anonymous = value('anonymize_reporter')
  if (!isBlank(anonymous) && !YES_OR_NO.includes(anonymous))
    refuse('anonymize_reporter', text('must_be', { allowed: text('true_or_false') }))
  const device = (name: string) => textOf(name, DEVICE_MAX)
  const fields = {
    address,
    point,
    requestType,
    answers: isObject(answers) ? answers : {},
    anonymous: anonymous === true || anonymous === 'true',
    device_id: device('device_id'),
    device_os: device('device_os'),
    device_name: device('device_name'),
  }
  return { fields, faults }
}

function requestTypeOf(raw: unknown, refuse: (fault: Text) => undefined): number | 'other' | undefined {
  if (isBlank(raw)) return refuse(BLANK)
  if (raw === 'other') return 'other'
  const id = typeof raw === 'number' ? raw : typeof raw === 'string' && /^[1-9]\d{0,9}$/.test(raw) ? Number(raw) : NaN
  return Number.isInteger(id) && id >= 1 && id <= idMax ? id : refuse(NO_TYPE)
}

export const NO_TYPE = text('must_be', { allowed: text('request_type_id_or_other') })

const isBlank = (raw: unknown) => raw === undefined || raw === null || (typeof raw === 'string' && isBlankText(raw))

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
