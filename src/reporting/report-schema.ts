import Type from 'typebox'

import { nullable } from '../http/schema/fields.ts'
import { ADDRESS_MAX } from '../issues/schema.ts'
import { languages } from '../locales/texts.ts'

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
