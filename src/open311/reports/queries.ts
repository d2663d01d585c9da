import Type, { type Static } from 'typebox'

import { Id, nullable } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import { questionsColumn } from '../../request-types/queries.ts'
import { RequestTypeQuestion } from '../../request-types/schema.ts'

const ReportedService = Type.Object({
  organization_id: nullable(Id),
  guest_reports: Type.Boolean(),
  questions: Type.Array(RequestTypeQuestion),
})
export type ReportedService = Static<typeof ReportedService>

/** Returns undefined for an inactive request type, to which no reports are sent. */
export async function findReportedService(db: Queryable, id: number): Promise<ReportedService | undefined> {
  const [service] = await db.query(
    ReportedService,
    sql`
      SELECT rt.organization_id, coalesce(o.guest_reports, false) AS guest_reports, ${questionsColumn(sql`rt`)}
      FROM request_types rt
      LEFT JOIN organizations o ON o.id = rt.organization_id
      WHERE rt.id = ${id} AND rt.active`,
  )
  return service
}
