import type { CopyValue } from '../../../src/database/copy-text.ts'
import type { City } from '../cities/city.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'
import { iso } from './people-rows.ts'
import type { Scenario } from '../scenario.ts'

export function communityRows({ questions }: Scenario, last: LastIds, placeOf: (city: City) => number): TableRows[] {
  const asked = questions.map((question, index) => ({ ...question, id: last.questions + 1 + index }))
  const answers = asked
    .flatMap((question) => question.answers.map((answer) => ({ ...answer, question_id: question.id })))
    .map((answer, index) => ({ ...answer, id: last.answers + 1 + index }))
  return [
    {
      table: 'questions',
      columns: ['id', 'place_id', 'asker_id', 'question', 'moderation_state', 'created_at', 'updated_at'],
      rows: asked.map(({ id, city, by, text, held, at }): CopyValue[] => [
        ...[id, placeOf(city), last.users + by.id, text, held ? 'held' : 'passed', iso(at), iso(at)],
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

/** Returns a moderation item for each text that is pending review. */
export function moderationRows({ issues, questions }: Scenario, last: LastIds, { issueId, commentId }: IssueRows): TableRows {
  const ofIssues = issues
    .filter(({ held }) => held)
    .map((issue) => ({
      ...{ subject: 'issue', id: issueId.get(issue) ?? 0, at: issue.createdAt },
      original: { summary: issue.report.summary, description: issue.report.description },
    }))
  const ofComments = issues
    .flatMap(({ comments }) => comments.filter(({ held }) => held))
    .map((comment) => ({
      ...{ subject: 'comment', id: commentId.get(comment) ?? 0, at: comment.at },
      original: { comment: comment.text },
    }))
  const ofQuestions = questions
    .map((question, index) => ({ question, id: last.questions + 1 + index }))
    .filter(({ question }) => question.held)
    .map(({ question, id }) => ({ subject: 'question', id, at: question.at, original: { question: question.text } }))
  return {
    table: 'moderation_items',
    columns: ['id', 'subject_type', 'subject_id', 'reasons', 'original', 'created_at'],
    rows: [...ofIssues, ...ofComments, ...ofQuestions].map(({ subject, id, at, original }, index): CopyValue[] => [
      ...[last.moderation_items + 1 + index, subject, id, '{links}', JSON.stringify(original), iso(at)],
    ]),
  }
}
