import { type EndpointClient, type EndpointResponse, EndpointError, EndpointOverflow, EndpointRefusal } from './endpoint-client.ts'
import { listOf, type ParsedRecord, parseRecords, textOf } from './parse-response.ts'

/** Relation types of links (RFC 8288): where a report came from (RFC 4287), and what a receiver has already (RFC 6249). */
export const VIA = 'via'
const DUPLICATE = 'duplicate'

/** Returns the addresses of the links in a Link header that have the relation type. */
export function listLinks(header: string, relation: string): string[] {
  return [...header.matchAll(/<([^<>\s]+)>([^<]*)/g)].flatMap(([, address = '', parameters = '']) => {
    const [, quoted, token] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
    const relations = (quoted ?? token ?? '').toLowerCase().split(/\s+/)
    return relations.includes(relation) ? [address] : []
  })
}

export const formatLinks = (addresses: readonly string[], relation: string): string =>
  addresses.map((address) => `<${address}>; rel="${relation}"`).join(', ')

interface GeoReportEndpoint {
  /** Address of GeoReport v2 without a slash at the end. */
  readonly url: string
  readonly format: 'json' | 'xml'
  readonly jurisdiction_id: string | null
  readonly api_key: string | null
}

export interface GeoReportClient {
  /** Returns the addresses by which the endpoint names itself in its discovery document; none if it has no such document. */
  listOwnAddresses(): Promise<string[]>
  /** @throws EndpointError, EndpointRefusal */
  get(resource: string, query: Readonly<Record<string, string>>): Promise<ParsedRecord[]>
  /** Adds the key and the jurisdiction. @throws EndpointError, EndpointRefusal */
  post(resource: string, form: URLSearchParams, headers?: Readonly<Record<string, string>>): Promise<ParsedRecord[]>
}

/** Returns a client of GeoReport v2 (https://wiki.open311.org/GeoReport_v2/) for one endpoint. The key is in no address and in no error. */
export function createGeoReportClient(client: EndpointClient, endpoint: GeoReportEndpoint, signal: AbortSignal): GeoReportClient {
  const { url, format, jurisdiction_id, api_key } = endpoint
  const address = (resource: string) => `${url}/${resource}.${format}`

  const read = async (sent: Promise<EndpointResponse>) => {
    const response = await sent
    const { status, text, link = '' } = response
    if (status >= 200 && status < 300) return parseRecords(text)
    const message = `the endpoint responded ${status}${describeErrors(text, api_key)}`
    const pause_s = findPause(response)
    // A proxy may report a failure although the server behind it has done the work.
    if (status >= 500 && status !== 501) throw new EndpointError(message, true, pause_s)
    throw new EndpointRefusal(message, status, { pause_s, isDuplicate: status === 409 && listLinks(link, DUPLICATE).length > 0 })
  }
  return {
    async listOwnAddresses() {
      const records = await read(client.send({ method: 'GET', url }, signal)).catch(() => [])
      return records.flatMap((record) => listOf(record, 'endpoints')).flatMap((entry) => textOf(entry, 'url') ?? [])
    },
    get(resource, query) {
      const parameters = new URLSearchParams(query)
      if (jurisdiction_id !== null) parameters.set('jurisdiction_id', jurisdiction_id)
      return read(client.send({ method: 'GET', url: `${address(resource)}?${parameters}` }, signal))
    },
    post(resource, content, headers = {}) {
      const form = new URLSearchParams(content)
      if (jurisdiction_id !== null) form.set('jurisdiction_id', jurisdiction_id)
      if (api_key !== null) form.set('api_key', api_key)
      return read(client.send({ method: 'POST', url: address(resource), form, headers }, signal))
    },
  }
}

const ERROR_DESCRIPTION_MAX = 160

/** GeoReport v2 responds with a list of `code` and `description`. */
function describeErrors(text: string, apiKey: string | null): string {
  let records: ParsedRecord[]
  try {
    records = parseRecords(text)
  } catch {
    return ''
  }
  const description = records.flatMap((record) => textOf(record, 'description') ?? []).join('; ')
  if (description === '') return ''
  const redacted = apiKey === null ? description : description.replaceAll(apiKey, '…')
  return `: ${redacted.replaceAll(/\s+/g, ' ').slice(0, ERROR_DESCRIPTION_MAX)}`
}

/** Returns a time as GeoReport v2 expects it, in UTC to the second. */
export const toGeoReportTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** Clocks of servers may differ by this time, and an endpoint may list an entry late. */
export const CLOCK_DIFFERENCE_MS = 15 * 60_000

/** GeoReport v2 lets endpoints limit a period to 90 days. */
const PERIOD_MAX_MS = 80 * 24 * 60 * 60_000

/** Returns the parameters for entries since a time, with both bounds extended by the difference of clocks. */
export function periodSince(since: Date, now: Date): Record<string, string> {
  const [first, last] = [since.getTime() - CLOCK_DIFFERENCE_MS, now.getTime() + CLOCK_DIFFERENCE_MS]
  return {
    start_date: toGeoReportTime(new Date(first)),
    end_date: toGeoReportTime(new Date(Math.min(last, first + PERIOD_MAX_MS))),
  }
}

/** Endpoints without this parameter ignore it. A page of long texts fits into one response. */
const PAGE_SIZE = '50'
const PAGES_MAX = 100
const CHARACTERS_MAX = 16_000_000

/**
 * Returns the entries of all pages, which may have any length: one without new entries is the last one, also of an endpoint without pages.
 * @param idName field with the id of an entry. Entries without one are left out
 * @throws EndpointOverflow if a page is too large, if there are too many pages, or if all are too large together; EndpointError if no entry of
 * the first page has an id
 */
export async function listAllPages(
  client: GeoReportClient,
  resource: string,
  idName: string,
  query: Readonly<Record<string, string>>,
): Promise<ParsedRecord[]> {
  const entries = new Map<string, ParsedRecord>()
  let characters = 0
  for (let page = 1; page <= PAGES_MAX; page++) {
    const records = await client.get(resource, { ...query, page_size: PAGE_SIZE, ...(page === 1 ? {} : { page: String(page) }) })
    characters += JSON.stringify(records).length
    if (characters > CHARACTERS_MAX) throw new EndpointOverflow(`the pages of ${resource} are too large together`, true)
    const known = entries.size
    for (const record of records) {
      const id = textOf(record, idName)
      if (id !== undefined) entries.set(id, record)
    }
    if (entries.size === 0 && records.length > 0) throw new EndpointError(`the list of ${resource} has no field ${idName}`, true)
    if (entries.size === known) return [...entries.values()]
  }
  throw new EndpointOverflow(`the endpoint has more than ${PAGES_MAX} pages of ${resource}`, true)
}

const PAUSE_DEFAULT_S = 60
const PAUSE_MAX_S = 3_600
/** The other statuses of a server that is busy: a blocked client, a key in use, and maintenance. */
const PAUSING: ReadonlySet<number> = new Set([403, 409, 503])

/**
 * Returns the seconds for which the endpoint is to be left alone, from 1 to 3,600: those of `Retry-After` (RFC 9110), or a minute after 429
 * without it. Returns undefined for other responses.
 */
export function findPause({ status, retryAfter }: EndpointResponse, now = Date.now()): number | undefined {
  const seconds = retryAfter === undefined ? undefined : toSeconds(retryAfter, now)
  if (status !== 429 && (seconds === undefined || !PAUSING.has(status))) return undefined
  return Math.min(Math.max(Math.ceil(seconds ?? PAUSE_DEFAULT_S), 1), PAUSE_MAX_S)
}

function toSeconds(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : (time - now) / 1_000
}

/** GeoReport v2 limits the description in characters. */
export const DESCRIPTION_MAX = 4_000

/** Returns a text that is no longer than a description may be. A longer one is cut, with an ellipsis at the end. */
export function cutDescription(text: string): string {
  if (text.length <= DESCRIPTION_MAX) return text
  const characters = [...text]
  return characters.length <= DESCRIPTION_MAX ? text : `${characters.slice(0, DESCRIPTION_MAX - 1).join('')}…`
}
