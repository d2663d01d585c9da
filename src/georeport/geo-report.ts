import type { EndpointClient } from './endpoint-client.ts'
import { EndpointError, EndpointRefusal } from './endpoint-error.ts'
import { type ParsedRecord, parseRecords, textOf } from './parse-response.ts'

export interface GeoReportEndpoint {
  /** Address of GeoReport v2 without a slash at the end. */
  readonly url: string
  readonly format: 'json' | 'xml'
  readonly jurisdiction_id: string | null
  readonly api_key: string | null
}

export interface GeoReportClient {
  /** @throws EndpointError, EndpointRefusal */
  get(resource: string, query: Readonly<Record<string, string>>): Promise<ParsedRecord[]>
  /** Adds the key and the jurisdiction. @throws EndpointError, EndpointRefusal */
  post(resource: string, form: URLSearchParams, headers?: Readonly<Record<string, string>>): Promise<ParsedRecord[]>
}

/** Returns a client of GeoReport v2 (https://wiki.open311.org/GeoReport_v2/) for one endpoint. The key is in no address and in no error. */
export function createGeoReportClient(client: EndpointClient, endpoint: GeoReportEndpoint, signal: AbortSignal): GeoReportClient {
  const { url, format, jurisdiction_id, api_key } = endpoint
  const address = (resource: string) => `${url}/${resource}.${format}`

  const read = async (sent: Promise<{ status: number; text: string }>) => {
    const { status, text } = await sent
    if (status >= 200 && status < 300) return parseRecords(text)
    const message = `the endpoint responded ${status}${describeErrors(text, api_key)}`
    // A proxy may report a failure although the server behind it has done the work.
    if (status >= 500 && status !== 501) throw new EndpointError(message, true)
    throw new EndpointRefusal(message, status)
  }
  return {
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

const DESCRIPTION_MAX = 160

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
  return `: ${redacted.replaceAll(/\s+/g, ' ').slice(0, DESCRIPTION_MAX)}`
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

/** A shorter page is the last one. */
const PAGE_LENGTH_MIN = 50
const PAGES_MAX = 50

/** Returns the entries of all pages. An endpoint without pages returns the same entries again. @param idName field with the id of an entry */
export async function listAllPages(
  client: GeoReportClient,
  resource: string,
  idName: string,
  query: Readonly<Record<string, string>>,
): Promise<ParsedRecord[]> {
  const entries = new Map<string, ParsedRecord>()
  for (let page = 1; page <= PAGES_MAX; page++) {
    const records = await client.get(resource, page === 1 ? query : { ...query, page: String(page) })
    const known = entries.size
    for (const record of records) entries.set(textOf(record, idName) ?? `${page}`, record)
    if (records.length < PAGE_LENGTH_MIN || entries.size === known) break
  }
  return [...entries.values()]
}
