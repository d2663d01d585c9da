import { featureCsv } from '../../http/formats/csv.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toIssueProperties } from '../records/present.ts'
import type { IssueRecord } from '../records/columns.ts'
import { IssueProperties } from '../records/schema.ts'

const columns = Object.keys(IssueProperties.properties) as (keyof IssueProperties)[]

/** Returns a table of issues as CSV (RFC 4180), with the columns of a whole download. */
export function renderCsv(records: readonly IssueRecord[], urls: Urls): string {
  const { header, toRow } = featureCsv({ columns, hasPoints: true })
  const rows = records.map((record) => {
    const properties = toIssueProperties(record, urls)
    return toRow(
      columns.map((column) => properties[column]),
      [record.lng, record.lat],
    )
  })
  return header + rows.join('')
}
