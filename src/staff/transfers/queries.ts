import Type, { type Static } from 'typebox'

import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../../database/database.ts'
import { isInStoredArea } from '../../geo/area.ts'
import type { Urls } from '../../http/request/urls.ts'
import { limitClause, type Page } from '../../http/lists/pagination.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { type Transfer, transferStates } from './schema.ts'

const Named = Type.Object({ id: Id, name: Type.String() })
export type Receiver = Static<typeof Named>

const TransferRow = Type.Object({
  id: Id,
  issue_id: Id,
  summary: Type.String(),
  status: stringEnum(statuses),
  version: Id,
  from: nullable(Named),
  to: Named,
  reason: nullable(Type.String()),
  request_type_id: nullable(Id),
  offered_by: nullable(Named),
  offered_at: Timestamp,
  state: stringEnum(transferStates),
  answered_by: nullable(Named),
  answered_at: nullable(Timestamp),
  refusal: nullable(Type.String()),
})
export type TransferRow = Static<typeof TransferRow>

/** An offer ends when the issue is closed, archived or hidden. It does not start again when the issue is reopened. */
const isOpen = sql`(t.state = 'offered' AND i.status IN ('Open', 'Acknowledged') AND i.moderation_state = 'passed'
  AND coalesce(i.reopened_at, '-infinity') <= t.offered_at)`

const named = (table: Sql) =>
  sql`CASE WHEN ${table}.id IS NOT NULL THEN json_build_object('id', ${table}.id, 'name', ${table}.name) END`

const selectTransfers = sql`
  SELECT t.id, t.issue_id, i.summary, i.status, i.version, ${named(sql`sender`)} AS "from", ${named(sql`receiver`)} AS "to", t.reason,
    t.request_type_id, ${named(sql`offerer`)} AS offered_by, t.offered_at,
    CASE WHEN t.state = 'offered' AND NOT ${isOpen} THEN 'ended' ELSE t.state END AS state, ${named(sql`answerer`)} AS answered_by, t.answered_at, t.refusal
  FROM issue_transfers t
  JOIN issues i ON i.id = t.issue_id
  JOIN organizations receiver ON receiver.id = t.to_id
  LEFT JOIN organizations sender ON sender.id = t.from_id
  LEFT JOIN users offerer ON offerer.id = t.offered_by
  LEFT JOIN users answerer ON answerer.id = t.answered_by`

export const findTransfer = (db: Queryable, id: number): Promise<TransferRow | undefined> =>
  db.query(sql.first(TransferRow)`${selectTransfers} WHERE t.id = ${id}`)

/** Returns the open offer of an issue, if there is one. */
export const findOpenTransfer = (db: Queryable, issueId: number): Promise<TransferRow | undefined> =>
  db.query(sql.first(TransferRow)`${selectTransfers} WHERE t.issue_id = ${issueId} AND ${isOpen}`)

/** Returns the organisations with request types to which some issue can be offered: those whose area covers its point, except the one that has it. */
export const listReceivers = (db: Queryable, issueIds: readonly number[]): Promise<Receiver[]> =>
  db.query(
    sql.type(Named)`
    SELECT o.id, o.name FROM organizations o
    WHERE EXISTS (SELECT FROM request_types own WHERE own.organization_id = o.id AND own.active) AND EXISTS (
      SELECT FROM issues i
      WHERE i.id = ANY(${issueIds}::integer[]) AND ${isInStoredArea('organization', sql`o.id`, sql`i.point`)} AND o.id IS DISTINCT FROM
        (SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id AND NOT rt.is_other))
    ORDER BY o.name, o.id`,
  )

/** Ends the open offer of an issue that gets another type: it was made for the issue as it was. */
export async function endOffers(tx: Transaction, issue_id: number, now: Date): Promise<void> {
  await tx.prisma.issueTransfer.updateMany({ where: { issue_id, state: 'offered' }, data: { state: 'ended', answered_at: now } })
}

const isOpenAt = (organizationId: number) =>
  sql`${isOpen} AND (t.from_id = ${organizationId}::integer OR t.to_id = ${organizationId}::integer)`

/** Returns the open offers to and from an organisation, oldest first. */
export const listTransfers = (db: Queryable, organizationId: number, page: Page): Promise<TransferRow[]> =>
  db.query(sql.type(TransferRow)`
    ${selectTransfers} WHERE ${isOpenAt(organizationId)} ORDER BY t.offered_at, t.id ${limitClause(page)}`)

export async function countTransfers(db: Queryable, organizationId: number): Promise<number> {
  const [row] = await db.query(sql.type(Type.Object({ count: Count }))`
    SELECT count(*)::integer AS count FROM issue_transfers t JOIN issues i ON i.id = t.issue_id WHERE ${isOpenAt(organizationId)}`)
  return row?.count ?? 0
}

export function toTransfer({ issue_id, summary, status, version, ...row }: TransferRow, urls: Urls): Transfer {
  return {
    ...row,
    issue: {
      ...{ id: issue_id, summary, status, version },
      url: urls.api(`/issues/${issue_id}`),
      html_url: urls.at(`/issues/${issue_id}`),
    },
    offered_at: toTimestamp(row.offered_at),
    answered_at: toNullableTimestamp(row.answered_at),
  }
}
