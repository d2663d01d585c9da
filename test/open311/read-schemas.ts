import { Ajv } from 'ajv'

import { findViolations, type Root } from './schemas.ts'

/* Requirements on the extensions that Fixpoint adds to responses, and on the documents besides GeoReport v2 (docs/open311.md). */

const string = { type: 'string' }
const stringOrNull = { type: ['string', 'null'] }
const URL_PATTERN = '^https?://'
const url = { type: 'string', pattern: URL_PATTERN }
const dateTimeOrNull = { type: ['string', 'null'], pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }
/** All properties are required, and there are no others. */
const exact = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})
const list = (items: object) => ({ type: 'array', items })

const note = exact({
  datetime: { ...dateTimeOrNull, type: 'string' },
  type: { enum: ['submitted', 'reopened', 'acknowledged', 'closed', 'archived', 'comment'] },
  description: string,
  media_url: { ...stringOrNull, pattern: URL_PATTERN },
})

const extendedAttributes = exact({
  status: { enum: ['Open', 'Acknowledged', 'Closed', 'Archived'] },
  title: string,
  request_type_id: { type: ['integer', 'null'] },
  url,
  votes: { type: 'integer', minimum: 0 },
  comments: { type: 'integer', minimum: 0 },
  rating: { type: 'integer' },
  acknowledged_datetime: dateTimeOrNull,
  closed_datetime: dateTimeOrNull,
  reopened_datetime: dateTimeOrNull,
  outcome: stringOrNull,
  photos: list(exact({ media_url: url })),
  video_url: stringOrNull,
  attributes: list(exact({ code: { ...stringOrNull, pattern: '^[1-9]\\d*$' }, name: string, value: string, keys: list(string) })),
})

const endpoint = exact({
  specification: { const: 'http://wiki.open311.org/GeoReport_v2' },
  url,
  changeset: { type: 'string', minLength: 1 },
  type: { enum: ['production', 'test'] },
  formats: { ...list({ enum: ['text/xml', 'application/json'] }), minItems: 2 },
  jurisdiction_id: stringOrNull,
  service_area_url: url,
})

const position = { type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' } }
const areaFeature = exact({
  type: { const: 'Feature' },
  id: { type: 'integer' },
  geometry: exact({ type: { const: 'MultiPolygon' }, coordinates: list(list({ ...list(position), minItems: 4 })) }),
  properties: exact({ jurisdiction_id: string, url, service_codes: list(string) }),
})

const schemas = {
  discovery: exact({
    changeset: { type: 'string', minLength: 1 },
    contact: { type: 'string', minLength: 1 },
    key_service: { type: 'string', minLength: 1 },
    endpoints: { ...list(endpoint), minItems: 1 },
  }),
  tokens: { ...list(exact({ service_request_id: stringOrNull, token: string })), minItems: 1, maxItems: 1 },
  extensions: list({
    type: 'object',
    required: ['notes', 'extended_attributes'],
    properties: { notes: { ...list(note), minItems: 1 }, extended_attributes: extendedAttributes },
  }),
  areas: {
    type: 'object',
    required: ['type', 'features', 'numberMatched', 'numberReturned', 'links'],
    properties: { type: { const: 'FeatureCollection' }, features: list(areaFeature) },
  },
}
export type ReadRoot = Root | keyof typeof schemas

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false })
const validators = new Map<string, ReturnType<typeof ajv.compile>>(
  Object.entries(schemas).map(([root, schema]) => [root, ajv.compile(schema)]),
)

/** Returns the violations of the schema of a document. */
export function findReadViolations(root: ReadRoot, body: unknown): readonly string[] {
  const validate = validators.get(root)
  if (!validate) return findViolations(root as Root, body)
  return validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
