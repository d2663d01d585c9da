import { type Queryable, Id, nullable, sql } from '../database/database.ts'
import { EndpointRefusal, EndpointError, unlessUnsupported } from '../georeport/endpoint-client.ts'
import { type Endpoint, findEndpointOfIssue } from './endpoint-queries.ts'
import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { type GeoReportClient, listAllPages, periodSince, formatLinks, VIA } from '../georeport/geo-report.ts'
import { ID_MAX, idOf, listOf, type ParsedRecord, textOf } from '../georeport/parse-response.ts'
import type { Urls } from '../http/request/urls.ts'
import { postAccepted, withLinkInText } from './form-variants.ts'
import { addForwardedIssue, type CreatedRequest, findForwardingKey, LEASE_S, recordForwarded } from './issue-queries.ts'
import { type ForwardingResult, type ForwardingServices, type Sendable, sendOnce } from './send-once.ts'

const ReportRow = Type.Object({
  issue_id: Id,
  service_code: Type.String(),
  summary: Type.String(),
  description: nullable(Type.String()),
  lng: Type.Number(),
  lat: Type.Number(),
  address: nullable(Type.String()),
  image: nullable(Type.String()),
  video_url: nullable(Type.String()),
  reporter_name: nullable(Type.String()),
  reporter_email: nullable(Type.String()),
  /** Addresses of the issues through which the report came here. */
  origins: Type.Array(Type.String()),
  answers: Type.Array(
    Type.Object({
      question: Type.String(),
      answer: Type.String(),
      value: Type.Unknown(),
      is_private: Type.Boolean(),
    }),
  ),
})
type Report = Static<typeof ReportRow>

/**
 * Returns what the endpoint may get about a public issue; undefined if the issue is not public or has no service at the endpoint. Data
 * that the organisation does not share, and contact data of Open311 reports, are not even read.
 */
async function findReport(db: Queryable, issueId: number, { shared, url }: Endpoint): Promise<Report | undefined> {
  const shares = (data: Endpoint['shared'][number]) => shared.includes(data)
  return db.query(sql.first(ReportRow)`
    SELECT i.id AS issue_id, coalesce(code.service_code, endpoint.default_service_code) AS service_code, i.summary, i.description,
      i.lng, i.lat, i.address, i.video_url,
      (SELECT m.full_key FROM media m
        WHERE m.issue_id = i.id AND m.comment_id IS NULL AND NOT m.is_answer AND NOT m.answer_kept_private ORDER BY m.id LIMIT 1) AS image,
      coalesce((SELECT origin.addresses FROM report_origins origin WHERE origin.issue_id = i.id), '{}') AS origins,
      CASE WHEN ${shares('names')} THEN reporter.name END AS reporter_name,
      CASE WHEN ${shares('emails')} THEN (
        SELECT e.email FROM email_addresses e WHERE e.user_id = reporter.id AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL
        ORDER BY e.id LIMIT 1) END AS reporter_email,
      coalesce((SELECT json_agg(json_build_object('question', a.question, 'answer', a.answer, 'value', a.value,
          'is_private', a.answer_kept_private) ORDER BY a.position, a.id)
        FROM issue_answers a WHERE a.issue_id = i.id AND NOT a.is_contact AND (NOT a.answer_kept_private OR ${shares('private_answers')})), '[]') AS answers
    FROM issues i
    JOIN request_types rt ON rt.id = i.request_type_id
    JOIN forwarding_endpoints endpoint ON endpoint.organization_id = rt.organization_id AND endpoint.url = ${url}
    LEFT JOIN forwarding_service_codes code ON code.request_type_id = rt.id
    LEFT JOIN users reporter ON reporter.id = i.reporter_id AND (NOT i.anonymous OR ${shares('anonymous_reporters')})
    WHERE i.id = ${issueId} AND i.moderation_state = 'passed'
      AND coalesce(code.service_code, endpoint.default_service_code) IS NOT NULL`)
}

/** Creates the service request of an issue at the endpoint of its organisation, unless it came from there. @throws as `sendOnce` */
export async function forwardIssue(services: ForwardingServices, issueId: number, signal: AbortSignal): Promise<ForwardingResult> {
  const { db, urls } = services
  const endpoint = await findEndpointOfIssue(db, issueId)
  const report = endpoint?.sends_reports ? await findReport(db, issueId, endpoint) : undefined
  if (!endpoint || !report) return undefined
  const sendable: Sendable = {
    name: 'issue',
    table: sql`forwarded_issues`,
    row: sql`sent.issue_id = ${issueId}`,
    isDone: sql`sent.forwarded_at IS NOT NULL`,
    lease_s: LEASE_S,
    refused: REFUSED,
    logged: { issue_id: issueId },
    addRow: (tx) => addForwardedIssue(tx, issueId, endpoint),
  }
  return sendOnce(services, endpoint, sendable, signal, async (attempt) => {
    const { client, unknown_since } = attempt
    const found = unknown_since === null ? undefined : await findRequest(client, report, unknown_since, urls)
    const created = found ?? (await createRequest(client, report, { db, urls, onPost: () => (attempt.isPosted = true) }))
    return {
      logged: { service_request_id: created.service_request_id, is_found: found !== undefined },
      record: (tx) => recordForwarded(tx, issueId, created, 'open'),
    }
  })
}

/** The same report would be refused again. Other refusals end when the settings or the endpoint are corrected. */
const REFUSED: ReadonlySet<number> = new Set([400, 409, 410, 413, 415, 422])

interface Creation {
  readonly db: Queryable
  readonly urls: Urls
  /** The function is called before the report is sent. */
  readonly onPost: () => void
}

async function createRequest(client: GeoReportClient, report: Report, { db, urls, onPost }: Creation): Promise<CreatedRequest> {
  if (await isOrigin(client, report)) throw new EndpointRefusal('the report came from the endpoint', 409, { isDuplicate: true })
  const form = toReportForm(report, await listAttributes(client, report), urls)
  const link = formatLinks([referenceTo(report.issue_id, urls), ...report.origins], VIA)
  const key = await findForwardingKey(db, report.issue_id)
  onPost()
  const records = await postAccepted([form, withLinkInText(form)], (variant) =>
    client.post('requests', variant, { 'idempotency-key': idempotencyKey(key, variant), link }),
  )
  return toCreatedRequest(records)
}

/** The endpoint is asked only about a report that came through others. It may have another address than the issues that it shows. */
async function isOrigin(client: GeoReportClient, { origins }: Report): Promise<boolean> {
  if (origins.length === 0) return false
  const roots = (await client.listOwnAddresses()).map((address) => /^(.+)\/open311\/v2(?:\/[^/]*)?$/.exec(address)?.[1])
  return origins.some((origin) => roots.some((root) => root !== undefined && origin.startsWith(`${root}/issues/`)))
}

/** @throws EndpointError if the response has neither an id nor a token: the report may be accepted nevertheless */
function toCreatedRequest(records: readonly ParsedRecord[]): CreatedRequest {
  const [record] = records
  const service_request_id = (record && idOf(record, 'service_request_id')) ?? null
  const token = (record && idOf(record, 'token')) ?? null
  if (service_request_id === null && token === null)
    throw new EndpointError(`the response has no service_request_id of at most ${ID_MAX} characters, and no token`, true)
  return { service_request_id, token: service_request_id === null ? token : null }
}

/** Returns the id of the service request that an earlier attempt has created. An endpoint that cannot list requests has none. */
async function findRequest(
  client: GeoReportClient,
  { service_code, issue_id }: Report,
  since: string,
  urls: Urls,
): Promise<CreatedRequest | undefined> {
  const query = { service_code, ...periodSince(new Date(since), new Date()) }
  const records = await unlessUnsupported(listAllPages(client, 'requests', 'service_request_id', query))
  const reference = referenceTo(issue_id, urls)
  const found = records.find((record) => containsReference(textOf(record, 'description') ?? '', reference))
  const service_request_id = found && idOf(found, 'service_request_id')
  return service_request_id === undefined ? undefined : { service_request_id, token: null }
}

/** The definition is needed only for a report with answers. */
async function listAttributes(client: GeoReportClient, { answers, service_code }: Report): Promise<ParsedRecord[]> {
  if (answers.length === 0) return []
  const [definition] = await unlessUnsupported(client.get(`services/${encodeURIComponent(service_code)}`, {}))
  return definition ? listOf(definition, 'attributes') : []
}

/** GeoReport v2 allows 4,000 characters; endpoints may add some of their own before they list them. */
const TEXT_MAX = 3_500

/** The address of the issue is in the description of the service request, which is the only text that every endpoint returns. */
const referenceTo = (issueId: number, urls: Urls): string => urls.at(`/issues/${issueId}`)

function containsReference(description: string, reference: string): boolean {
  const position = description.indexOf(reference)
  return position >= 0 && !/^\d/.test(description.slice(position + reference.length))
}

/**
 * Returns the form of `POST requests`. Answers to questions that the service has as attributes become attributes; other public answers
 * are in the description, and other private ones are not sent, because endpoints publish descriptions.
 */
function toReportForm(report: Report, attributes: readonly ParsedRecord[], urls: Urls): URLSearchParams {
  const form = new URLSearchParams({
    service_code: report.service_code,
    lat: String(report.lat),
    long: String(report.lng),
  })
  const add = (name: string, value: string | null) => {
    if (value !== null && value !== '') form.set(name, value)
  }
  const lines: string[] = []
  for (const answer of report.answers) {
    const attribute = attributes.find((one) => isSameText(textOf(one, 'description'), answer.question))
    const entries = attribute && toAttribute(attribute, answer)
    for (const [name, value] of entries ?? []) form.append(name, value)
    if (!entries && !answer.is_private) lines.push(`${answer.question}: ${answerText(answer, urls)}`)
  }
  add('description', toDescription(report, lines, referenceTo(report.issue_id, urls)))
  add('address_string', report.address)
  add('media_url', report.image === null ? report.video_url : urls.at(`/files/${report.image}`))
  const [first, ...last] = report.reporter_name?.split(/\s+/) ?? []
  add('first_name', first ?? null)
  add('last_name', last.join(' '))
  add('email', report.reporter_email)
  return form
}

/** The key is the same for the same content, so that an edited report is no misuse of an earlier key. */
function idempotencyKey(key: string, form: URLSearchParams): string {
  return createHash('sha256').update(`${key} ${form}`).digest('hex').slice(0, 32)
}

function toDescription({ summary, description }: Report, lines: readonly string[], reference: string): string {
  const text = [summary, ...(description === null || description === summary ? [] : [description]), ...lines].join('\n\n')
  const end = `\n\nReference: ${reference}`
  const characters = [...text]
  const max = TEXT_MAX - end.length
  return (characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`) + end
}

type Answer = Report['answers'][number]

/** Returns undefined for a value that the attribute does not offer. */
function toAttribute(attribute: ParsedRecord, { answer, value }: Answer): [string, string][] | undefined {
  const code = textOf(attribute, 'code')
  if (code === undefined || isFile(value)) return undefined
  const choices = listOf(attribute, 'values')
  if (choices.length === 0) return [[`attribute[${code}]`, answer]]
  const keys = (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => {
    const text = String(one)
    const choice =
      choices.find((entry) => isSameText(textOf(entry, 'key'), text) || isSameText(textOf(entry, 'name'), text)) ??
      choices.find((entry) => isSameText(textOf(entry, 'name'), answer))
    return choice && textOf(choice, 'key')
  })
  if (keys.includes(undefined)) return undefined
  const name = Array.isArray(value) ? `attribute[${code}][]` : `attribute[${code}]`
  return keys.map((key) => [name, key ?? ''])
}

const isFile = (value: unknown): value is { file: string } => typeof value === 'object' && value !== null && 'file' in value

const answerText = ({ answer, value }: Answer, urls: Urls) => (isFile(value) ? urls.at(`/files/${value.file}`) : answer)

const isSameText = (a: string | undefined, b: string) => a?.trim().toLowerCase() === b.trim().toLowerCase()
