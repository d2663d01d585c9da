import type { CopyValue } from '../../../src/database/copy-database.ts'
import type { City } from '../cities/city.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'
import { iso } from './people-rows.ts'
import type { Scenario } from '../scenario.ts'

export function communityRows({ questions }: Scenario, last: LastIds, placeOf: (city: City) => number): TableRows[] {
  const questionRows = questions.map((question, index) => ({ ...question, id: last.questions + 1 + index }))
  const answers = questionRows
    .flatMap((question) => question.answers.map((answer) => ({ ...answer, question_id: question.id })))
    .map((answer, index) => ({ ...answer, id: last.answers + 1 + index }))
  return [
    {
      table: 'questions',
      columns: ['id', 'place_id', 'asker_id', 'question', 'moderation_state', 'created_at', 'updated_at'],
      rows: questionRows.map(({ id, city, by, text, isHeld, at }): CopyValue[] => [
        ...[id, placeOf(city), last.users + by.id, text, isHeld ? 'held' : 'passed', iso(at), iso(at)],
      ]),
    },
    {
      table: 'answers',
      columns: ['id', 'question_id', 'answerer_id', 'answer', 'locale', 'accepted_at', 'created_at', 'updated_at'],
      rows: answers.map(({ id, question_id, by, text, acceptedAt, at }): CopyValue[] => [
        ...[id, question_id, last.users + by.id, text, 'en', acceptedAt === null ? null : iso(acceptedAt)],
        ...[iso(at), iso(acceptedAt ?? at)],
      ]),
    },
    {
      table: 'answer_votes',
      columns: ['answer_id', 'user_id', 'created_at'],
      rows: answers.flatMap(({ id, votes }) => [...votes].map(([person, at]) => [id, last.users + person.id, iso(at)])),
    },
  ]
}

export function moderationRows({ issues, questions }: Scenario, last: LastIds, { issueId, commentId }: IssueRows): TableRows {
  const issueItems = issues
    .filter(({ isHeld }) => isHeld)
    .map((issue) => ({
      ...{ subject: 'issue', id: issueId.get(issue) ?? 0, at: issue.createdAt },
      original: { summary: issue.report.summary, description: issue.report.description },
    }))
  const commentItems = issues
    .flatMap(({ comments }) => comments.filter(({ isHeld }) => isHeld))
    .map((comment) => ({
      ...{ subject: 'comment', id: commentId.get(comment) ?? 0, at: comment.at },
      original: { comment: comment.text },
    }))
  const questionItems = questions
    .map((question, index) => ({ question, id: last.questions + 1 + index }))
    .filter(({ question }) => question.isHeld)
    .map(({ question, id }) => ({ subject: 'question', id, at: question.at, original: { question: question.text } }))
  return {
    table: 'moderation_items',
    columns: ['id', 'subject_type', 'subject_id', 'reasons', 'original', 'created_at'],
    rows: [...issueItems, ...commentItems, ...questionItems].map(({ subject, id, at, original }, index): CopyValue[] => [
      ...[last.moderation_items + 1 + index, subject, id, '{links}', JSON.stringify(original), iso(at)],
    ]),
  }
}
