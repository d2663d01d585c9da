import Type, { type Static } from 'typebox'

import { nullable, stringEnum } from '../http/schema/fields.ts'
import { type PrismaHandle, type Queryable, sql, type Executable, type Transaction } from '../database/database.ts'

export interface EndpointHealth {
  readonly organization_id: number
  readonly organization: string
  /** Polls since the last one that succeeded. */
  readonly poll_failures: number
  readonly last_poll_error: string | null
}

/** Returns the Open311 endpoints to which organisations forward issues. */
export async function listEndpointHealth(db: PrismaHandle): Promise<EndpointHealth[]> {
  const endpoints = await db.prisma.forwardingEndpoint.findMany({
    select: { organization_id: true, organization: { select: { name: true } }, poll_failures: true, last_poll_error: true },
    orderBy: { organization_id: 'asc' },
  })
  return endpoints.map(({ organization, ...health }) => ({ ...health, organization: organization.name }))
}

const MissingReceiver = Type.Object({ email: Type.String() })

/** Returns the receivers of updates who are no members with a confirmed address, so that no updates are received. */
export async function listMissingReceivers(db: Queryable, organizationIds: readonly number[]): Promise<string[]> {
  const missing = await db.query(sql.type(MissingReceiver)`
    SELECT endpoint.receiver_email AS email FROM forwarding_endpoints endpoint
    WHERE endpoint.organization_id = ANY (${[...organizationIds]}::integer[]) AND endpoint.receives_updates AND NOT EXISTS (
      SELECT FROM organization_members m JOIN email_addresses e ON e.user_id = m.user_id
      WHERE m.organization_id = endpoint.organization_id AND lower(e.email) = lower(endpoint.receiver_email)
        AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL)
    ORDER BY endpoint.organization_id`)
  return missing.map(({ email }) => email)
}

export const endpointFormats = ['json', 'xml'] as const

/** Data that an organisation may send to its endpoint in addition to public data. */
export const sharedData = ['names', 'emails', 'anonymous_reporters', 'private_answers'] as const
export type SharedData = (typeof sharedData)[number]

/** The settings as the organisation file has them, without the key. */
export const Forwarding = Type.Object(
  {
    endpoint: Type.String({ examples: ['https://311.example.org/open311/v2'] }),
    jurisdiction_id: nullable(Type.String(), { examples: ['example.org'] }),
    api_key_set: Type.Boolean({ description: 'Whether a key is stored. No response contains it.', examples: [true] }),
    format: stringEnum(endpointFormats),
    service_codes: Type.Unsafe<Readonly<Record<string, string>>>({
      ...{ type: 'object', additionalProperties: { type: 'string' } },
      description: 'By the title of the request type.',
      examples: [{ Pothole: '001' }],
    }),
    default_service_code: nullable(Type.String(), { examples: ['099'] }),
    send_reports: Type.Boolean(),
    send_updates: Type.Boolean(),
    receive_updates: Type.Boolean(),
    extended_statuses: Type.Boolean(),
    share: Type.Array(stringEnum(sharedData)),
    receiver: nullable(Type.String(), { examples: ['ada@example.org'] }),
  },
  { title: 'Forwarding' },
)

/** `updated_at` is for the version of the settings alone: it also changes with the key, which no response contains. */
export async function findForwarding(
  { prisma }: PrismaHandle,
  organization_id: number,
): Promise<(Static<typeof Forwarding> & { readonly updated_at: Date }) | null> {
  const endpoint = await prisma.forwardingEndpoint.findUnique({ where: { organization_id } })
  if (!endpoint) return null
  const codes = await prisma.forwardingServiceCode.findMany({
    where: { request_type: { organization_id } },
    include: { request_type: { select: { title: true } } },
    orderBy: { request_type_id: 'asc' },
  })
  const { url, jurisdiction_id, api_key, format, default_service_code, receiver_email, extended_statuses, shared } = endpoint
  return {
    ...{ endpoint: url, jurisdiction_id, api_key_set: api_key !== null, format: format as ForwardingSettings['format'] },
    service_codes: Object.fromEntries(codes.map(({ request_type, service_code }) => [request_type.title, service_code])),
    ...{ default_service_code, send_reports: endpoint.sends_reports, send_updates: endpoint.sends_updates },
    ...{ receive_updates: endpoint.receives_updates, extended_statuses, share: shared as SharedData[], receiver: receiver_email },
    updated_at: endpoint.updated_at,
  }
}

export interface ForwardingSettings extends Pick<
  Static<typeof Forwarding>,
  'format' | 'service_codes' | 'send_reports' | 'send_updates' | 'receive_updates' | 'extended_statuses'
> {
  /** Address of GeoReport v2 without a slash at the end. */
  readonly endpoint: string
  readonly jurisdiction_id?: string
  /** Without it, the stored key stays if the address is the same. */
  readonly api_key?: string
  readonly default_service_code?: string
  readonly share: readonly SharedData[]
  readonly receiver?: string | undefined
}

const WrittenRow = Type.Object({ organization_id: Type.Integer() })

/** Returns whether anything changed. A key is never sent to another address than the one it was entered for. */
export async function writeForwardingSettings(
  db: Executable,
  organizationId: number,
  settings: ForwardingSettings,
): Promise<boolean> {
  const { endpoint, jurisdiction_id = null, api_key = null, default_service_code = null, receiver = null } = settings
  const written = await db.query(sql.type(WrittenRow)`
    INSERT INTO forwarding_endpoints AS endpoint (organization_id, url, jurisdiction_id, api_key, format, default_service_code,
      sends_reports, sends_updates, receives_updates, extended_statuses, shared, receiver_email)
    VALUES (${organizationId}, ${endpoint}, ${jurisdiction_id}, ${api_key}, ${settings.format}, ${default_service_code}, ${settings.send_reports},
      ${settings.send_updates}, ${settings.receive_updates}, ${settings.extended_statuses}, ${[...settings.share]}::text[], ${receiver})
    ON CONFLICT (organization_id) DO UPDATE SET url = excluded.url, jurisdiction_id = excluded.jurisdiction_id,
      api_key = CASE WHEN excluded.api_key IS NULL AND endpoint.url = excluded.url THEN endpoint.api_key ELSE excluded.api_key END,
      format = excluded.format, default_service_code = excluded.default_service_code, sends_reports = excluded.sends_reports,
      sends_updates = excluded.sends_updates, receives_updates = excluded.receives_updates,
      extended_statuses = excluded.extended_statuses, shared = excluded.shared, receiver_email = excluded.receiver_email,
      poll_due_at = now(), poll_failures = 0, last_poll_error = NULL, updated_at = now(),
      updates_read_until = CASE WHEN endpoint.url = excluded.url THEN endpoint.updates_read_until ELSE now() END
    WHERE (endpoint.url, endpoint.jurisdiction_id, coalesce(excluded.api_key, endpoint.api_key), endpoint.format, endpoint.default_service_code,
        endpoint.sends_reports, endpoint.sends_updates, endpoint.receives_updates, endpoint.extended_statuses, endpoint.shared, endpoint.receiver_email)
      IS DISTINCT FROM (excluded.url, excluded.jurisdiction_id, endpoint.api_key, excluded.format, excluded.default_service_code,
        excluded.sends_reports, excluded.sends_updates, excluded.receives_updates, excluded.extended_statuses, excluded.shared, excluded.receiver_email)
    RETURNING endpoint.organization_id`)
  const areCodesChanged = await writeServiceCodes(db, organizationId, settings.service_codes)
  return written.length > 0 || areCodesChanged
}

/** Titles that are not request types of the organisation are ignored: `findUnknownTitles` finds them. */
async function writeServiceCodes(
  db: Executable,
  organizationId: number,
  codes: ForwardingSettings['service_codes'],
): Promise<boolean> {
  const trimmed = Object.entries(codes).map(([title, code]) => [title.trim(), code.trim()] as const)
  const wanted = sql`
    SELECT rt.id, code.service_code FROM unnest(${trimmed.map(([title]) => title)}::text[], ${trimmed.map(([, code]) => code)}::text[]) AS code (title, service_code)
    JOIN request_types rt ON lower(rt.title) = lower(code.title) AND rt.organization_id = ${organizationId}`
  const removed = await db.execute(sql`
    DELETE FROM forwarding_service_codes stored USING request_types rt
    WHERE rt.id = stored.request_type_id AND rt.organization_id = ${organizationId}
      AND NOT EXISTS (SELECT FROM (${wanted}) wanted WHERE wanted.id = stored.request_type_id)`)
  const written = await db.execute(sql`
    INSERT INTO forwarding_service_codes AS stored (request_type_id, service_code)
    SELECT wanted.id, wanted.service_code FROM (${wanted}) wanted ORDER BY wanted.id
    ON CONFLICT (request_type_id) DO UPDATE SET service_code = excluded.service_code WHERE stored.service_code <> excluded.service_code`)
  return removed + written > 0
}

const TitleRow = Type.Object({ title: Type.String() })

export async function findUnknownTitles(db: Executable, organizationId: number, titles: readonly string[]): Promise<string[]> {
  const unknown = await db.query(sql.type(TitleRow)`
    SELECT input.title FROM unnest(${[...titles]}::text[]) WITH ORDINALITY AS input (title, position)
    WHERE NOT EXISTS (
      SELECT FROM request_types rt WHERE rt.organization_id = ${organizationId} AND lower(rt.title) = lower(input.title))
    ORDER BY input.position`)
  return unknown.map(({ title }) => title)
}

/** Returns whether there was an endpoint. Issues that were forwarded keep their link. */
export async function deleteForwardingSettings(tx: Transaction, organization_id: number): Promise<boolean> {
  await writeServiceCodes(tx, organization_id, {})
  const { count } = await tx.prisma.forwardingEndpoint.deleteMany({ where: { organization_id } })
  return count > 0
}
