import Type, { type Static, type TObject, type TSchema } from 'typebox'

import { memberRoles } from '../../http/identity/roles.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { categories } from '../../issues/categories.ts'
import { type Language, languages } from '../../locales/texts.ts'
import type { Translations } from '../../locales/translations.ts'
import { endpointFormats, sharedData } from '../../organizations/forwarding-settings.ts'
import { questionTypes } from '../../request-types/schema.ts'

export const builtIns = ['summary', 'description', 'issue_image', 'offensive'] as const
export type BuiltIn = (typeof builtIns)[number]

export const TYPES_MAX = 500
const TITLE_MAX = 200
const TEXT_MAX = 200
const URL_MAX = 500

const line = (maxLength: number) => Type.String({ maxLength, pattern: '\\S' })
const strict = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const flag = Type.Optional(Type.Boolean())
const flagWithDefault = (value: boolean) => Type.Boolean({ default: value })
const email = { format: 'mailbox', maxLength: 255 }

function translationsOf<Fields extends TObject>(fields: Fields) {
  const properties = Object.fromEntries(languages.map((language) => [language, Type.Optional(fields)]))
  return Type.Optional(Type.Unsafe<Translations<Static<Fields>>>(strict(properties)))
}

/** A text is both key and name. */
const Choice = Type.Unsafe<string | { readonly key: string; readonly name: string }>({
  ...strict({ key: Type.String({ minLength: 1, maxLength: TEXT_MAX }), name: line(TEXT_MAX) }),
  ...{ type: ['string', 'object'], minLength: 1, maxLength: TEXT_MAX },
})

const Question = strict({
  primary_key: Type.Optional(stringEnum(builtIns)),
  question: line(1_000),
  question_type: stringEnum(questionTypes),
  response_required: flagWithDefault(false),
  answer_kept_private: flagWithDefault(false),
  select_values: Type.Optional(Type.Array(Choice, { maxItems: 500 })),
  translations: translationsOf(
    strict({ question: line(1_000), select_values: Type.Optional(Type.Record(Type.String(), line(TEXT_MAX))) }),
  ),
})
export type QuestionDocument = Static<typeof Question>

export const RequestType = strict({
  title: line(TITLE_MAX),
  translations: translationsOf(strict({ title: line(TITLE_MAX) })),
  category: stringEnum(categories, { default: 'other' }),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  questions: Type.Array(Question, { maxItems: 100, default: [] }),
})
export type RequestTypeDocument = Static<typeof RequestType>

export const Forwarding = strict({
  endpoint: line(URL_MAX),
  jurisdiction_id: Type.Optional(line(TEXT_MAX)),
  api_key: Type.Optional(line(URL_MAX)),
  format: stringEnum(endpointFormats, { default: 'json' }),
  service_codes: Type.Record(Type.String(), line(TEXT_MAX), { maxProperties: 500, default: {} }),
  default_service_code: Type.Optional(line(TEXT_MAX)),
  send_reports: flagWithDefault(true),
  send_updates: flagWithDefault(false),
  receive_updates: flagWithDefault(false),
  extended_statuses: flagWithDefault(false),
  share: Type.Array(stringEnum(sharedData), { maxItems: sharedData.length, default: [] }),
  receiver: Type.Optional(Type.String(email)),
})
export type ForwardingDocument = Static<typeof Forwarding>

const Organization = strict({
  name: line(TITLE_MAX),
  language: Type.Optional(stringEnum(languages)),
  translations: translationsOf(strict({ name: line(TITLE_MAX) })),
  area: Type.Unknown(),
  hold_everything: flag,
  guest_reports: flag,
  /** False removes the address. */
  inbox_email: Type.Optional(Type.Unsafe<string | boolean>({ type: ['string', 'boolean'], ...email })),
  /** True to receive reports of an unnamed kind. */
  takes_other: flag,
  members: Type.Optional(
    Type.Array(strict({ email: Type.String(email), role: stringEnum(memberRoles, { default: 'employee' }) }), { maxItems: 2_000 }),
  ),
  request_types: Type.Optional(Type.Array(RequestType, { maxItems: TYPES_MAX })),
  /** False removes the endpoint. */
  forwarding: Type.Optional(Type.Unsafe<ForwardingDocument | boolean>({ ...Forwarding, type: ['object', 'boolean'] })),
})
export type OrganizationDocument = Static<typeof Organization>

export const OrganizationsFile = strict({
  language: stringEnum(languages, { default: 'en' satisfies Language }),
  organizations: Type.Array(Organization, { maxItems: 2_000 }),
  community_request_types: Type.Optional(Type.Array(RequestType, { maxItems: TYPES_MAX })),
})
