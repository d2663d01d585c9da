import { problems, Problem } from '../../errors/problems.ts'
import type { AddressSearch } from '../../geo/geocoder.ts'
import type { Point } from '../../geo/shapes.ts'
import { ADDRESS_MAX, SUMMARY_MAX } from '../../issues/schema.ts'
import { type Language, text, type Text } from '../../locales/texts.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'
import { invalidParameter, type Parameters, readPoint, type Body } from '../input/body.ts'
import { isAttribute } from '../services/routes.ts'

interface ReportedLocation {
  readonly point: Point
  readonly address: string
}

/** About 1 m. */
const DECIMALS = 5

/**
 * Returns the point of `lat` and `long` with `address_string` or the address that the geocoder finds there, or the point of `address_string`.
 * @throws Problem 422 without a location or for an unknown address, 503 if the geocoder does not answer
 */
export async function findLocation(
  fields: Parameters,
  addresses: AddressSearch | undefined,
  language: Language,
): Promise<ReportedLocation> {
  const point = readPoint(fields)
  const address = fields.get('address_string')
  if (point) return { point, address: address ?? (await addresses?.reverse(point, language)) ?? toText(point) }
  if (address !== undefined) return { point: await geocode(address, addresses, language), address }
  if (fields.has('address_id')) throw invalidParameter('address_id', text('address_id_unknown'))
  throw invalidParameter('lat', text('location_needed'))
}

async function geocode(address: string, addresses: AddressSearch | undefined, language: Language): Promise<Point> {
  if (!addresses) throw invalidParameter('address_string', text('address_string_not_geocoded'))
  const found = await addresses.search(address.slice(0, ADDRESS_MAX), { language })
  if (!found) throw problems.geocoderUnavailable()
  const [first] = found
  if (!first) throw invalidParameter('address_string', text('address_string_not_found'))
  return first.point
}

const toText = ({ lat, lng }: Point) => `${lat.toFixed(DECIMALS)}, ${lng.toFixed(DECIMALS)}`

interface ReportedIssue {
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

/** The fields of GeoReport v2 by the fields of the API, whose features check them. */
const names: Readonly<Record<string, string>> = {
  address: 'address_string',
  lng: 'long',
  point: 'lat',
  request_type_id: 'service_code',
  summary: 'description',
  issue_image: 'media',
  image: 'media',
  comment: 'description',
}

const reasons: Readonly<Record<string, Text>> = { outside_of_request_type: text('outside_of_service') }

/** Runs a feature. @throws Problem of the feature, whose errors have the names of GeoReport v2, or any error of `work` */
export async function withFieldNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem && error.body.kind !== 'message' && error.status === 422 ? rename(error.body.fields) : error
  }
}

/** The key `base` stands for an error that concerns no single field. */
function rename({ base, ...fields }: Readonly<Record<string, Text | readonly Text[]>>): Problem {
  const [general] = [base ?? []].flat()
  if (general) return problems.badRequest(general)
  const renamed: Record<string, Text[]> = {}
  for (const [field, errors] of Object.entries(fields)) {
    const name = /^(\d+|offensive)$/.test(field)
      ? `attribute[${field}]`
      : Object.hasOwn(names, field)
        ? (names[field] ?? field)
        : field
    const texts = [errors]
      .flat()
      .map((error: Text) => (Object.hasOwn(reasons, error.code) ? (reasons[error.code] ?? error) : error))
    const known = (renamed[name] ??= [])
    known.push(...texts.filter(({ code }) => !known.some((other) => other.code === code)))
  }
  return problems.invalid(renamed)
}

/** Returns why a `media_url` is refused, or undefined for https addresses of the hosts, one in each line. Nothing is ever fetched from them. */
export function findMediaUrlError(value: string, hosts: readonly string[]): Text | undefined {
  if (hosts.length === 0) return text('media_not_fetched')
  const isListed = (url: URL | null) =>
    url?.protocol === 'https:' && url.username === '' && url.password === '' && hosts.includes(url.host)
  return value.split('\n').every((line) => isListed(URL.parse(line)))
    ? undefined
    : text('media_host_not_listed', { hosts: hosts.join(', ') })
}
