import type { Language } from '../locales/texts.ts'
import { type AnswerRow, toAnswer, listAnswersByIds } from '../answers/queries.ts'
import { toComment } from '../comments/queries.ts'
import { listCommentsByIds } from '../comments/hidden-comments.ts'
import type { Queryable } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import type { Urls } from '../http/request/urls.ts'
import { listDetails } from '../issues/details-queries.ts'
import { listIssuesByIds } from '../issues/queries.ts'
import { toAnswers } from '../issues/present-answers.ts'
import { toIssue } from '../issues/present.ts'
import { toQuestion, listQuestionsByIds } from '../questions/queries.ts'
import type { ItemRow } from './item-queries.ts'
import { toUserSummary } from '../users/present.ts'
import { listUserSummaries } from '../users/queries.ts'
import type { ModeratedAnswer, ModeratedComment, ModeratedIssue, ModeratedQuestion, ModeratedUser } from './schema.ts'

export interface Subjects {
  readonly issue: ReadonlyMap<number, ModeratedIssue>
  readonly comment: ReadonlyMap<number, ModeratedComment>
  readonly question: ReadonlyMap<number, ModeratedQuestion>
  readonly answer: ReadonlyMap<number, ModeratedAnswer>
  readonly user: ReadonlyMap<number, ModeratedUser>
}

interface SubjectReader {
  readonly viewer: Viewer
  readonly urls: Urls
  /** Questions and names of request types are in this language, where they are translated. */
  readonly language: Language
}

/** Only staff of the organisation see anonymous reporters and private answers. */
export async function readSubjects(db: Queryable, items: readonly ItemRow[], reader: SubjectReader): Promise<Subjects> {
  const { urls } = reader
  const subjectIds = (type: ItemRow['subject_type']) =>
    items.flatMap((item) => (item.subject_type === type ? [item.subject_id] : []))
  const issuesAndComments = await readIssuesAndComments(
    db,
    { issues: subjectIds('issue'), comments: subjectIds('comment') },
    reader,
  )
  const questionsAndAnswers = await readQuestionsAndAnswers(
    db,
    { questions: subjectIds('question'), answers: subjectIds('answer') },
    new Set(
      items.flatMap(({ subject_type, subject_id, may_decide }) => (subject_type === 'answer' && may_decide ? [subject_id] : [])),
    ),
    reader,
  )
  const users = await listUserSummaries(db, subjectIds('user'))
  const user = new Map(users.map((row) => [row.id, toUserSummary(row, urls)]))
  return { ...issuesAndComments, ...questionsAndAnswers, user }
}

async function readIssuesAndComments(
  db: Queryable,
  subjectIds: { readonly issues: number[]; readonly comments: number[] },
  { viewer, urls, language }: SubjectReader,
): Promise<Pick<Subjects, 'issue' | 'comment'>> {
  const comments = await listCommentsByIds(db, subjectIds.comments)
  const ids = [...new Set([...subjectIds.issues, ...comments.map(({ issue_id }) => issue_id)])]
  const [rows, details] = await Promise.all([
    listIssuesByIds(db, ids, viewer, 'readable'),
    listDetails(db, subjectIds.issues, viewer),
  ])
  const issues = rows.map((row) => {
    const answers = toAnswers(row, details.find(({ id }) => id === row.id) ?? { questions: [] }, urls, language)
    return { ...toIssue(row, urls, language), questions: answers.map(({ question, answer }) => ({ question, answer })) }
  })
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const toCommentedIssue = (id: number): ModeratedComment['issue'] => {
    const issue = byId.get(id)
    return issue ? { id, summary: issue.summary, status: issue.status, rating: issue.rating, html_url: issue.html_url } : null
  }
  return {
    issue: byId,
    comment: new Map(comments.map((row) => [row.id, { ...toComment(row, urls), issue: toCommentedIssue(row.issue_id) }])),
  }
}

async function readQuestionsAndAnswers(
  db: Queryable,
  subjectIds: { readonly questions: number[]; readonly answers: number[] },
  decidable: ReadonlySet<number>,
  { viewer, urls }: SubjectReader,
): Promise<Pick<Subjects, 'question' | 'answer'>> {
  const answers = await listAnswersByIds(db, subjectIds.answers)
  const ids = [...new Set([...subjectIds.questions, ...answers.map(({ question_id }) => question_id)])]
  const questions = await listQuestionsByIds(db, ids)
  const byId = new Map(questions.map((row) => [row.id, toQuestion(row, urls)]))
  const toAnsweredQuestion = ({ id: answer, question_id: id }: AnswerRow): ModeratedAnswer['question'] => {
    const [question, row] = [byId.get(id), questions.find((one) => one.id === id)]
    const mayKnow = row && (row.moderation_state === 'passed' || decidable.has(answer) || row.asker?.id === viewer.id)
    return question && mayKnow ? { id, question: question.question, html_url: question.html_url, place: question.place } : null
  }
  return {
    question: byId,
    answer: new Map(answers.map((row) => [row.id, { ...toAnswer(row, urls), question: toAnsweredQuestion(row) }])),
  }
}
