import type { Queryable } from '../database/database.ts'
import { type CleanPicture, cleanUpload } from '../media/store-picture.ts'
import { PictureRefused } from '../images/picture.ts'
import { problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { type CheckedAnswer, checkAnswers } from './answers.ts'
import { INVALID_REQUEST_TYPE, parseReportFields, type FieldErrors, type ReportFields } from './report-fields.ts'
import { findReportType, type ReportType } from './report-queries.ts'
import { otherRequestType } from '../request-types/other.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'
import { text } from '../errors/texts/text.ts'

export interface CheckedReport {
  readonly type: ReportType
  readonly fields: ReportFields & { readonly address: string; readonly point: NonNullable<ReportFields['point']> }
  readonly answers: readonly CheckedAnswer[]
  readonly pictures: readonly PictureAnswer[]
}

interface FileAnswer {
  readonly question: RequestTypeQuestion
  readonly position: number
  readonly upload: Upload
}

export type PictureAnswer = Omit<FileAnswer, 'upload'> & { readonly clean: CleanPicture }

/**
 * Checks a report and re-encodes its pictures, because a picture is only valid if it can be decoded.
 * @throws Problem 422 `{errors: {field: [text]}}` with all errors, including those of pictures; 503 if too many pictures are queued
 */
export async function checkReport(db: Queryable, body: unknown, badText: FieldErrors = {}): Promise<CheckedReport> {
  const { fields, errors } = parseReportFields(body)
  const { address, point } = fields
  const type = await findType(db, fields)
  if (fields.requestType !== undefined && !type) errors['request_type_id'] = [INVALID_REQUEST_TYPE]
  if (type && !type.covers) errors['point'] = [text('outside_of_request_type')]
  const questions = type ? [...type.questions, ...missingTextQuestions(type.questions)] : []
  const uploads = findFileAnswers(questions, fields.answers)
  const checked = checkAnswers(questions, fields.answers, new Set(uploads.map(({ question }) => question.primary_key)))
  const { pictures, pictureErrors } = await cleanPictures(uploads)
  Object.assign(errors, checked.errors, pictureErrors, badText)
  if (!type || address === undefined || !point || Object.keys(errors).length > 0) throw problems.invalidErrors(errors)
  return { type, fields: { ...fields, address, point }, answers: checked.answers, pictures }
}

/** Clients send a summary and a description with every type, so both are stored even if the form does not ask for them. */
function missingTextQuestions(questions: readonly RequestTypeQuestion[]): RequestTypeQuestion[] {
  return otherRequestType.questions
    .filter(({ primary_key }) => primary_key === 'summary' || primary_key === 'description')
    .filter(({ primary_key }) => !questions.some((question) => question.primary_key === primary_key))
    .map((question) => ({ ...question, response_required: false }))
}

async function findType(db: Queryable, { requestType, point }: ReportFields): Promise<ReportType | undefined> {
  if (requestType === undefined) return undefined
  if (requestType !== 'other') return findReportType(db, requestType, point)
  const { title, questions } = otherRequestType
  return { id: null, title, category: 'other', questions, requires_review: false, covers: true }
}

function findFileAnswers(questions: readonly RequestTypeQuestion[], answers: ReportFields['answers']): FileAnswer[] {
  return questions.flatMap((question, position) => {
    const upload = Object.hasOwn(answers, question.primary_key) ? answers[question.primary_key] : undefined
    return question.question_type === 'file' && upload instanceof Upload ? [{ question, position, upload }] : []
  })
}

async function cleanPictures(uploads: readonly FileAnswer[]) {
  const pictures: PictureAnswer[] = []
  const pictureErrors: FieldErrors = {}
  for (const { upload, ...answer } of uploads) {
    try {
      pictures.push({ ...answer, clean: await cleanUpload(upload) })
    } catch (error) {
      if (!(error instanceof PictureRefused)) throw error
      pictureErrors[answer.question.primary_key] = [error.reason]
    }
  }
  return { pictures, pictureErrors }
}
