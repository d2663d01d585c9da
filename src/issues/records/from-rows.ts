import Type, { type Static } from 'typebox'

import { type Queryable, sql } from '../../database/database.ts'
import type { IssueRow } from '../queries.ts'
import { addedColumns, IssueRecord, placeUrlName, publicAssigneeId, publicReporterId } from './columns.ts'

const AddedColumns = Type.Pick(IssueRecord, [
  'id',
  'place_url_name',
  'reporter_id',
  'assignee_id',
  'comment_count',
  'vote_count',
  'archived_at',
  'source',
])
type AddedColumns = Static<typeof AddedColumns>

/** Returns the columns of records that rows of a list do not have. */
const findAddedColumns = (db: Queryable, issueIds: readonly number[]): Promise<AddedColumns[]> =>
  db.query(sql.type(AddedColumns)`
    SELECT i.id, ${placeUrlName} AS place_url_name, ${publicReporterId} AS reporter_id, ${publicAssigneeId} AS assignee_id, ${addedColumns}
    FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`)

/** Returns the records of rows that a list has read. */
export async function toRecords(db: Queryable, rows: readonly IssueRow[]): Promise<readonly IssueRecord[]> {
  const found = await findAddedColumns(
    db,
    rows.map(({ id }) => id),
  )
  const added = new Map(found.map((columns) => [columns.id, columns]))
  return rows.map((row) => toRecord(row, added.get(row.id)))
}

/** @param added undefined for an issue that was deleted meanwhile */
function toRecord(row: IssueRow, added: AddedColumns | undefined): IssueRecord {
  const { request_type, reporter, images, actor_role: _role, ...columns } = row
  const [image] = images
  return {
    ...columns,
    request_type_id: request_type?.id ?? null,
    request_type: request_type?.title ?? null,
    organization: request_type?.organization ?? null,
    place_url_name: added?.place_url_name ?? null,
    reporter: reporter?.name ?? null,
    image_full: image?.full ?? null,
    image_representative: image?.representative ?? image?.full ?? null,
    reporter_id: added?.reporter_id ?? null,
    assignee_id: added?.assignee_id ?? null,
    organization_id: request_type?.organization_id ?? null,
    comment_count: added?.comment_count ?? 0,
    vote_count: added?.vote_count ?? 0,
    archived_at: added?.archived_at ?? null,
    source: added?.source ?? null,
  }
}
