import Type from 'typebox'
import { nullable, idMax, isBlankText } from '../http/schema/fields.ts'
import { ADDRESS_MAX, ISSUE_IMAGES_MAX } from '../issues/schema.ts'
import { languages, text, type Text } from '../locales/texts.ts'
import type { Point } from '../geo/shapes.ts'

/** The ways in which a report reaches an employee who enters it. */
export const channels = ['phone', 'counter', 'letter', 'other'] as const
export type Channel = (typeof channels)[number]

export const NAME_MAX = 255
export const PHONE_MAX = 50

const OnBehalfSchema = Type.Object(
  {
    name: Type.Optional(Type.Unsafe<unknown>({ description: `At most ${NAME_MAX} characters.`, examples: ['Rosa Diaz'] })),
    email: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'Gets a receipt of the report, and a mail for each change of its status.',
        examples: ['rosa@example.org'],
      }),
    ),
    phone: Type.Optional(Type.Unsafe<unknown>({ description: `At most ${PHONE_MAX} characters.`, examples: ['+1 303 555 0142'] })),
    language: Type.Optional(Type.Unsafe<unknown>({ description: `One of ${languages.join(', ')}.`, examples: ['es'] })),
    channel: Type.Unsafe<unknown>({ description: `One of ${channels.join(', ')}.`, examples: ['phone'] }),
    consent: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'True if the person agrees that the contact data is stored; required with a name, an address or a number.',
        examples: [true],
      }),
    ),
  },
  { title: 'OnBehalf' },
)

export const DEVICE_MAX = 255

const device = (description: string, example: string) =>
  Type.Optional(nullable(Type.String({ maxLength: DEVICE_MAX, description, examples: [example] })))

/** The JSON body. Forms send `answers[summary]=…`, and images as `answers[issue_image]` of multipart/form-data. */
export const NewIssue = Type.Object(
  {
    address: Type.String({
      maxLength: ADDRESS_MAX,
      description: 'The address or a description of the location.',
      examples: ['1437 Bannock St, Denver, CO'],
    }),
    lat: Type.Unsafe<number | string>({
      anyOf: [{ type: 'number' }, { type: 'string' }],
      description: 'In degrees, from -90 to 90.',
      examples: [39.7392],
    }),
    lng: Type.Unsafe<number | string>({
      anyOf: [{ type: 'number' }, { type: 'string' }],
      description: 'In degrees, from -180 to 180.',
      examples: [-104.9903],
    }),
    request_type_id: Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }],
      description: 'The id of a request type that covers the point, or `other` or null for the fallback type.',
      examples: ['other'],
    }),
    answers: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The answers by the `primary_key` of the questions of the request type: text, a number, true or false, a key of a select, or a list of keys.',
        examples: [{ summary: 'Pothole at the crossing', description: 'About 30 cm wide, cars swerve around it.' }],
        'x-form-files': ['issue_image'],
      }),
    ),
    anonymize_reporter: Type.Optional(
      Type.Unsafe<boolean | string>({
        enum: [true, false, 'true', 'false'],
        description: 'Whether the report is published without your name.',
        examples: [false],
      }),
    ),
    on_behalf: Type.Optional(OnBehalfSchema),
    device_id: device('For debugging.', 'a1b2'),
    device_os: device('For debugging.', 'Android 16'),
    device_name: device('For debugging.', 'Pixel 9'),
  },
  {
    title: 'NewIssue',
    examples: [
      {
        address: '1437 Bannock St, Denver, CO',
        lat: 39.7392,
        lng: -104.9903,
        request_type_id: 'other',
        answers: { summary: 'Pothole at the crossing', description: 'About 30 cm wide, cars swerve around it.' },
      },
    ],
  },
)

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
