import { text } from '../locales/texts.ts'
import type { Queryable } from '../database/database.ts'
import { type CleanImage, cleanUpload } from '../media/store-image.ts'
import { ImageRefused } from '../images/image.ts'
import { problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { type CheckedAnswer, checkAnswers } from './answers.ts'
import { INVALID_REQUEST_TYPE, parseReportFields, type FieldErrors, type ReportFields } from './report-schema.ts'
import { findReportType, type ReportType } from './report-queries.ts'
import { otherRequestType, otherTypeTexts } from '../request-types/other.ts'
import { findOtherTypeAt } from '../request-types/queries.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'

export interface CheckedReport {
  readonly type: ReportType
  readonly fields: ReportFields & { readonly address: string; readonly point: NonNullable<ReportFields['point']> }
  readonly answers: readonly CheckedAnswer[]
  readonly images: readonly ImageAnswer[]
}

interface FileAnswer {
  readonly question: RequestTypeQuestion
  readonly position: number
  readonly upload: Upload
}

export type ImageAnswer = Omit<FileAnswer, 'upload'> & { readonly clean: CleanImage }

interface CheckOptions {
  /** Errors of the request that the body does not show. */
  readonly inputErrors?: FieldErrors
  /** Questions that clean pictures of a draft already answer. */
  readonly questionsWithPictures?: readonly string[]
}

/**
 * Checks a report and then re-encodes its images, because an image is only valid if it can be decoded. A report with another error costs no decoding.
 * @throws Problem 422 `{errors: {field: [text]}}` with all errors of the fields, or else with those of images; 429 or 503 as `cleanUpload` does
 */
export async function checkReport(
  db: Queryable,
  body: unknown,
  { inputErrors = {}, questionsWithPictures = [] }: CheckOptions = {},
): Promise<CheckedReport> {
  const { fields, errors } = parseReportFields(body)
  const { address, point } = fields
  const type = await findType(db, fields)
  if (fields.requestType !== undefined && !type) errors['request_type_id'] = [INVALID_REQUEST_TYPE]
  if (type && !type.covers_point) errors['point'] = [text('outside_of_request_type')]
  const questions = type ? [...type.questions, ...missingTextQuestions(type.questions)] : []
  const uploads = findFileAnswers(questions, fields.answers)
  const answered = [...questionsWithPictures, ...uploads.map(({ question }) => question.primary_key)]
  const checked = checkAnswers(questions, fields.answers, new Set(answered))
  Object.assign(errors, checked.errors, inputErrors)
  if (!type || address === undefined || !point || Object.keys(errors).length > 0) throw problems.invalidErrors(errors)
  const { images, imageErrors } = await cleanImages(uploads)
  if (Object.keys(imageErrors).length > 0) throw problems.invalidErrors(imageErrors)
  return { type, fields: { ...fields, address, point }, answers: checked.answers, images }
}

/** Returns the valid pictures of a report that may have other errors, and the errors of its pictures. @throws Problem 429 or 503 as `cleanUpload` does */
export async function cleanPictures(db: Queryable, body: unknown) {
  const { fields } = parseReportFields(body)
  const type = await findType(db, fields)
  return cleanImages(type ? findFileAnswers(type.questions, fields.answers) : [])
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
  const taken = point && (await findOtherTypeAt(db, point))
  if (taken !== undefined) return findReportType(db, taken, point)
  const { questions } = otherRequestType
  return { id: null, ...otherTypeTexts, category: 'other', questions, reviews_all: false, covers_point: true }
}

function findFileAnswers(questions: readonly RequestTypeQuestion[], answers: ReportFields['answers']): FileAnswer[] {
  return questions.flatMap((question, position) => {
    const answer = Object.hasOwn(answers, question.primary_key) ? answers[question.primary_key] : undefined
    const uploads = [answer].flat()
    const isValid = question.question_type === 'file' && (uploads.length === 1 || isReportImage(question))
    if (!isValid || !uploads.every((upload) => upload instanceof Upload)) return []
    return uploads.map((upload) => ({ question, position, upload }))
  })
}

/** A report may have several pictures; every other question of the type `file` takes one. */
const isReportImage = ({ primary_key }: RequestTypeQuestion) => primary_key === 'issue_image'

/** One error is returned for a question, so its pictures after a refused one are not decoded. */
async function cleanImages(uploads: readonly FileAnswer[]) {
  const images: ImageAnswer[] = []
  const imageErrors: FieldErrors = {}
  for (const { upload, ...answer } of uploads) {
    if (imageErrors[answer.question.primary_key]) continue
    try {
      images.push({ ...answer, clean: await cleanUpload(upload) })
    } catch (error) {
      if (!(error instanceof ImageRefused)) throw error
      const { filename } = upload
      const isNamed = filename !== '' && uploads.some((other) => other.upload !== upload && other.question === answer.question)
      imageErrors[answer.question.primary_key] = [
        isNamed ? text('named_error', { name: filename, error: error.reason }) : error.reason,
      ]
    }
  }
  return { images, imageErrors }
}
