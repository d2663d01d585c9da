import { listNewestComments } from '../../comments/queries.ts'
import type { Queryable } from '../../database/database.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { listStatusChangesOfIssues } from '../../issues/history-queries.ts'
import { type AnswerLimits, listIssueCounts, listPublicAnswers, type PublicAnswerRow } from '../../issues/public-answer-queries.ts'
import type { IssueRow } from '../../issues/queries.ts'

/** Limits the comments and the changes of each request, and its answers. */
export interface ExtensionLimits extends AnswerLimits {
  readonly notesMax: number
}

export const LIMITS_OF_ONE: ExtensionLimits = { notesMax: 1_000, answersMax: 1_000, charactersMax: 1_000_000 }

/** Limits a page to some ten megabytes of texts, however many requests it has. */
export const limitsOfPage = (pageSize: number): ExtensionLimits => ({
  notesMax: Math.min(Math.max(Math.floor(2_000 / pageSize), 2), 20),
  answersMax: 20,
  charactersMax: 1_000,
})

const changeTypes: Readonly<Record<Status, string>> = {
  Open: 'reopened',
  Acknowledged: 'acknowledged',
  Closed: 'closed',
  Archived: 'archived',
}

/**
 * Returns a function that adds `notes`, the history with public comments, and `extended_attributes` to a service request. It contains no names
 * and is the same for all callers.
 */
export async function readExtensions(reader: Queryable, issues: readonly IssueRow[], urls: Urls, limits: ExtensionLimits) {
  const ids = issues.map(({ id }) => id)
  const [changes, comments, counts, answers] = await Promise.all([
    listStatusChangesOfIssues(reader, ids, limits.notesMax),
    listNewestComments(reader, ids, limits.notesMax),
    listIssueCounts(reader, ids),
    listPublicAnswers(reader, ids, limits),
  ])
  const changesByIssue = Map.groupBy(changes, ({ issue_id }) => issue_id)
  const commentsByIssue = Map.groupBy(comments, ({ issue_id }) => issue_id)
  const countsByIssue = new Map(counts.map((row) => [row.id, row]))
  const answersByIssue = Map.groupBy(answers, ({ issue_id }) => issue_id)
  const file = (key: string) => urls.at(`/files/${key}`)

  return (issue: IssueRow) => ({
    notes: [
      toNote(issue.created_at, 'submitted', 'Submitted'),
      ...[
        ...(changesByIssue.get(issue.id) ?? []).map(({ created_at, to_status }) =>
          toNote(created_at, changeTypes[to_status], to_status === 'Open' ? 'Reopened' : to_status),
        ),
        ...(commentsByIssue.get(issue.id) ?? []).map(({ created_at, comment, image }) => ({
          ...toNote(created_at, 'comment', comment),
          media_url: image && file(image.full),
        })),
      ].sort((a, b) => (a.datetime < b.datetime ? -1 : a.datetime > b.datetime ? 1 : 0)),
    ],
    extended_attributes: {
      status: issue.status,
      outcome: issue.outcome,
      title: issue.summary,
      request_type_id: issue.request_type?.id ?? null,
      url: urls.at(`/issues/${issue.id}`),
      votes: countsByIssue.get(issue.id)?.vote_count ?? 0,
      comments: countsByIssue.get(issue.id)?.comment_count ?? 0,
      rating: issue.rating,
      acknowledged_datetime: toNullableTimestamp(issue.acknowledged_at),
      closed_datetime: toNullableTimestamp(issue.closed_at),
      reopened_datetime: toNullableTimestamp(issue.reopened_at),
      photos: issue.images.map(({ full }) => ({ media_url: file(full) })),
      video_url: issue.video_url,
      attributes: (answersByIssue.get(issue.id) ?? []).map((answer) => toAttribute(answer, urls)),
    },
  })
}

/** The code is that of the service definition. */
const toAttribute = ({ primary_key, question, answer, keys, file }: PublicAnswerRow, urls: Urls) => ({
  code: primary_key,
  name: question,
  value: file === null ? answer : urls.at(`/files/${file}`),
  keys,
})

const toNote = (createdAt: string, type: string, description: string) => ({
  datetime: toTimestamp(new Date(createdAt).toISOString()),
  type,
  description,
  media_url: null as string | null,
})
