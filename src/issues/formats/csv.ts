import { toCsvLine } from '../../http/formats/csv.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toIssueProperties } from '../records/present.ts'
import type { IssueRecord } from '../records/queries.ts'
import { IssueProperties } from '../records/schema.ts'

const columns = Object.keys(IssueProperties.properties) as (keyof IssueProperties)[]

/** Returns a table of issues as CSV (RFC 4180): the properties of their features, then longitude and latitude. */
export function renderCsv(records: readonly IssueRecord[], urls: Urls): string {
  const lines = records.map((record) => {
    const properties = toIssueProperties(record, urls)
    return toCsvLine([...columns.map((column) => properties[column]), record.lng, record.lat])
  })
  return [toCsvLine([...columns, 'lng', 'lat']), ...lines].join('')
}
