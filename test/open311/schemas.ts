import { Ajv } from 'ajv'

/*
 * Requirements on a response, from the JSON Schemas of GeoReport v2 (https://github.com/open311/schema-validation, schema/georeport-v2) and from its text
 * (https://wiki.open311.org/GeoReport_v2). The published schemas have no licence, so these are written anew.
 */

const string = { type: 'string' }
const stringOrNull = { type: ['string', 'null'] }
const numberOrNull = { type: ['number', 'null'] }
const DATE_TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$'
const object = (required: readonly string[], properties: object) => ({ type: 'object', required, properties })
const list = (items: object) => ({ type: 'array', items })

const service = object(['service_code', 'service_name', 'metadata', 'type'], {
  service_code: string,
  service_name: string,
  description: stringOrNull,
  metadata: { type: 'boolean' },
  type: { enum: ['realtime', 'batch', 'blackbox'] },
  keywords: stringOrNull,
  group: stringOrNull,
})

const attribute = object(['variable', 'code', 'datatype', 'required'], {
  variable: { type: 'boolean' },
  code: string,
  datatype: { enum: ['string', 'number', 'datetime', 'text', 'singlevaluelist', 'multivaluelist'] },
  required: { type: 'boolean' },
  datatype_description: stringOrNull,
  order: { type: ['integer', 'null'], minimum: 1 },
  description: stringOrNull,
  values: list(object(['key', 'name'], { key: string, name: string })),
})

const request = object(['service_request_id', 'status', 'service_code', 'requested_datetime'], {
  service_request_id: string,
  status: { enum: ['open', 'closed'] },
  status_notes: stringOrNull,
  service_name: stringOrNull,
  service_code: string,
  description: { type: ['string', 'null'], maxLength: 4_000 },
  agency_responsible: stringOrNull,
  service_notice: stringOrNull,
  requested_datetime: { type: 'string', pattern: DATE_TIME },
  updated_datetime: { type: ['string', 'null'], pattern: DATE_TIME },
  expected_datetime: { type: ['string', 'null'], pattern: DATE_TIME },
  address: stringOrNull,
  address_id: stringOrNull,
  zipcode: stringOrNull,
  lat: numberOrNull,
  long: numberOrNull,
  media_url: { type: ['string', 'null'], pattern: '^https?://' },
})

const error = object(['code', 'description'], { code: { type: 'integer' }, description: { type: 'string', minLength: 1 } })

const createdRequest = object([], {
  service_request_id: string,
  token: string,
  service_notice: stringOrNull,
  account_id: stringOrNull,
})

/** The form of FixMyStreet (https://github.com/mysociety/fixmystreet/wiki/Open311-FMS---Proposed-differences-to-Open311). */
const update = object(['update_id', 'service_request_id', 'status', 'updated_datetime', 'description'], {
  update_id: string,
  service_request_id: string,
  status: { enum: ['OPEN', 'CLOSED'] },
  external_status_code: string,
  updated_datetime: { type: 'string', pattern: DATE_TIME },
  description: { type: 'string', minLength: 1 },
  media_url: { type: ['string', 'null'], pattern: '^https?://' },
})

const schemas = {
  service_request_updates: list(update),
  service_request_updates_created: { ...list(object(['update_id'], { update_id: string })), minItems: 1, maxItems: 1 },
  created_requests: {
    ...list({ ...createdRequest, oneOf: [{ required: ['service_request_id'] }, { required: ['token'] }] }),
    minItems: 1,
    maxItems: 1,
  },
  services: list(service),
  service_definition: object(['service_code', 'attributes'], { service_code: string, attributes: list(attribute) }),
  service_requests: list(request),
  errors: { ...list(error), minItems: 1 },
}
export type Root = keyof typeof schemas

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false })
const validators = Object.fromEntries(Object.entries(schemas).map(([root, schema]) => [root, ajv.compile(schema)]))

/** Returns the violations of the schema of a root element. */
export function findViolations(root: Root, body: unknown): readonly string[] {
  const validate = validators[root]
  return !validate || validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
