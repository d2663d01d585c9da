import type { Queryable } from '../../database/database.ts'
import type { IssueRow } from '../queries.ts'
import type { IssueRecord } from './columns.ts'
import { type AddedColumns, findAddedColumns } from './queries.ts'

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
