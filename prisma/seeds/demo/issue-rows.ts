import type { CopyValue } from '../../../src/database/copy-database.ts'
import type { DraftIssue } from '../drafts.ts'
import type { IssueRows, LastIds } from './table-rows.ts'
import { iso } from './people-rows.ts'
import type { Scenario } from '../scenario.ts'

/** Returns the rows of the issues and their children. Ids increase with time in each table, so the last status change is the newest. */
export function issueRows({ issues, people }: Scenario, last: LastIds): IssueRows {
  const organizationIds = new Map(
    people.organizations.flatMap(({ id, employees }) => employees.map((one) => [one, last.organizations + id])),
  )
  const userId = (person: { id: number } | undefined) => (person ? last.users + person.id : null)
  const inTime = <T extends { at: number }>(rows: T[]) => rows.sort((one, other) => one.at - other.at)
  const issueId = new Map(issues.map((issue, index) => [issue, last.issues + 1 + index]))
  const all = [...issueId].map(([issue, id]) => ({ issue, id }))

  const comments = inTime(
    all.flatMap(({ issue, id: issue_id }) => issue.comments.map((comment) => ({ issue_id, issue, comment, at: comment.at }))),
  )
  const commentId = new Map(comments.map(({ comment }, index) => [comment, last.comments + 1 + index]))
  const statusChanges = inTime(
    all.flatMap(({ issue, id: issue_id }) => issue.statusChanges.map((change) => ({ issue_id, issue, change, at: change.at }))),
  )
  const statusChangeId = new Map(statusChanges.map(({ change }, index) => [change, last.status_changes + 1 + index]))
  const originalId = ({ merge }: DraftIssue) => (merge ? (issueId.get(merge.into) ?? null) : null)
  const answers = all.flatMap(({ issue, id: issue_id }) =>
    issue.answers.map((answer, position) => ({ issue_id, position, ...answer })),
  )

  return {
    issueId,
    commentId,
    statusChangeId,
    issues: { table: 'issues', columns: issueColumns, rows: all.map(({ issue, id }) => issueRow(issue, id, last)) },
    comments: {
      table: 'comments',
      columns: [
        'id',
        'issue_id',
        'commenter_id',
        'comment',
        'locale',
        'moderation_state',
        'organization_id',
        'created_at',
        'updated_at',
      ],
      rows: comments.map(({ issue_id, issue, comment: { by, at, text, locale, isHeld } }, index) => [
        ...[
          last.comments + 1 + index,
          issue_id,
          userId(by),
          text.replace('{number}', `#${originalId(issue)}`),
          locale,
          isHeld ? 'held' : 'passed',
          (by && organizationIds.get(by)) ?? null,
          iso(at),
          iso(at),
        ],
      ]),
    },
    statusChanges: {
      table: 'status_changes',
      columns: [
        ...['id', 'issue_id', 'actor_id', 'comment_id', 'from_status', 'to_status', 'created_at'],
        ...['outcome', 'passed_on_to', 'duplicate_of_id'],
      ],
      rows: statusChanges.map(({ issue_id, issue, change }): CopyValue[] => [
        ...[statusChangeId.get(change) ?? null, issue_id, userId(change.by)],
        ...[change.comment ? (commentId.get(change.comment) ?? null) : null, change.from, change.to, iso(change.at)],
        ...[change.outcome ?? null, change.passedOnTo ?? null, change.outcome === 'duplicate' ? originalId(issue) : null],
      ]),
    },
    votes: {
      table: 'votes',
      columns: ['issue_id', 'user_id', 'created_at'],
      rows: all.flatMap(({ issue, id }) => [...issue.votes].map(([person, at]) => [id, userId(person), iso(at)])),
    },
    follows: {
      table: 'follows',
      columns: ['issue_id', 'user_id', 'created_at'],
      rows: all.flatMap(({ issue, id }) => [...issue.follows].map(([person, at]) => [id, userId(person), iso(at)])),
    },
    answers: {
      table: 'issue_answers',
      columns: ['id', 'issue_id', 'question_id', 'question', 'answer', 'value', 'answer_kept_private', 'position'],
      rows: answers.map(({ issue_id, question, answer, value, position }, index) => [
        ...[last.issue_answers + 1 + index, issue_id, last.request_type_questions + question.id, question.spec.question],
        ...[answer, JSON.stringify(value), question.spec.visibility === 'private', position],
      ]),
    },
  }
}

const issueColumns = [
  ...['id', 'status', 'summary', 'description', 'category', 'vote_count', 'lng', 'lat', 'address', 'request_type_id'],
  ...['reporter_id', 'anonymous', 'assignee_id', 'locale', 'moderation_state', 'remote_id', 'remote_title', 'remote_status'],
  ...['source', 'created_at', 'updated_at', 'acknowledged_at', 'closed_at', 'reopened_at', 'outcome', 'priority', 'version'],
] as const

function issueRow(issue: DraftIssue, id: number, last: LastIds): CopyValue[] {
  const { spot, report, workOrder, createdAt } = issue
  const stamp = (ms: number | null) => (ms === null ? null : iso(ms))
  const commentTimes = issue.comments.filter(({ isHeld }) => !isHeld).map(({ at }) => at)
  const updatedAt = Math.max(createdAt, ...commentTimes)
  return [
    ...[id, issue.status, report.summary, report.description, issue.category, issue.votes.size, spot.lng, spot.lat, spot.address],
    issue.requestType ? last.request_types + issue.requestType.id : null,
    ...[last.users + issue.reporter.id, issue.anonymous, issue.assignee ? last.users + issue.assignee.id : null],
    ...[report.locale, issue.isHeld ? 'held' : 'passed', workOrder ?? null],
    ...(workOrder === undefined ? [null, null] : [`Work order ${workOrder}`, workStatus(issue)]),
    ...['web', iso(createdAt), iso(updatedAt), stamp(issue.acknowledgedAt), stamp(issue.closedAt), stamp(issue.reopenedAt)],
    ...[outcomeOf(issue), issue.priority ?? 1, issue.merge || issue.transfer ? 2 : 1],
  ]
}

const outcomeOf = ({ status, statusChanges }: DraftIssue) =>
  status === 'Closed' || status === 'Archived' ? (statusChanges.findLast(({ to }) => to === 'Closed')?.outcome ?? null) : null

const workStatus = ({ status }: DraftIssue) => (status === 'Closed' || status === 'Archived' ? 'Completed' : 'In progress')
