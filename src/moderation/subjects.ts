import { toComment } from '../comments/present.ts'
import { listCommentsByIds } from '../comments/queries.ts'
import type { Queryable } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'
import type { Urls } from '../http/urls.ts'
import { listDetails } from '../issues/details-queries.ts'
import { toIssue } from '../issues/present.ts'
import { listIssuesByIds } from '../issues/queries.ts'
import type { ItemRow } from './item-queries.ts'
import type { ModeratedComment, ModeratedIssue } from './schema.ts'

export interface Subjects {
  readonly issues: ReadonlyMap<number, ModeratedIssue>
  readonly comments: ReadonlyMap<number, ModeratedComment>
}

/**
 * What these items are about, as the caller may see it: whoever does not work for the organisation sees neither who reported without a name
 * nor private answers, moderator or not.
 */
export async function readSubjects(db: Queryable, items: readonly ItemRow[], viewer: Viewer, urls: Urls): Promise<Subjects> {
  const idsOf = (type: ItemRow['subject_type']) => items.flatMap((item) => (item.subject_type === type ? [item.subject_id] : []))
  const issueIds = idsOf('issue')
  const comments = await listCommentsByIds(db, idsOf('comment'))
  const ids = [...new Set([...issueIds, ...comments.map(({ issue_id }) => issue_id)])]
  const [rows, details] = await Promise.all([listIssuesByIds(db, ids, viewer, 'readable'), listDetails(db, issueIds, viewer)])
  const issues = rows.map((row) => {
    const questions = details.find(({ id }) => id === row.id)?.questions ?? []
    const answers = questions.map(({ question, answer, file }) => ({ question, answer: file ? urls.at(`/files/${file}`) : answer }))
    return { ...toIssue(row, urls), questions: answers }
  })
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const commented = (id: number): ModeratedComment['issue'] => {
    const issue = byId.get(id)
    return issue ? { id, summary: issue.summary, status: issue.status, rating: issue.rating, html_url: issue.html_url } : null
  }
  return {
    issues: byId,
    comments: new Map(comments.map((row) => [row.id, { ...toComment(row, urls), issue: commented(row.issue_id) }])),
  }
}
