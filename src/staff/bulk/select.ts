import { problems } from '../../errors/problems.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import { text } from '../../locales/texts.ts'
import type { WorklistQuery } from '../worklist/query.ts'
import { parseWorklist, type Worklist } from '../worklist/worklist.ts'
import { BULK_MAX } from './schema.ts'

/**
 * Returns the ids of all issues of a list of staff, of every page. Check the capability `work_on_issues` first.
 * @throws Problem 422 naming a parameter that is not allowed, and `{query}` if it selects no issue or too many
 */
export async function selectIds(worklist: Worklist, query: WorklistQuery): Promise<number[]> {
  const { filter } = await parseWorklist(worklist, query, { page: 1, perPage: BULK_MAX })
  const issues = await listIssueDots(worklist.reader, filter, BULK_MAX + 1)
  if (issues.length === 0 || issues.length > BULK_MAX) throw problems.invalid({ query: text('bulk_query', { max: BULK_MAX }) })
  return issues.map(({ id }) => id)
}
