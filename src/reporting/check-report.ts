import type { Queryable } from '../database/database.ts'
import { type CleanPicture, cleanUpload } from '../media/store-picture.ts'
import { PictureRefused } from '../images/picture.ts'
import { problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { type CheckedAnswer, checkAnswers } from './answers.ts'
import { NO_TYPE, readReportFields, type ReportFaults, type ReportFields } from './report-fields.ts'
import { findReportType, type ReportType } from './report-queries.ts'
import { otherRequestType } from '../request-types/other.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'
import { text } from '../errors/texts/text.ts'

export interface CheckedReport {
  readonly type: ReportType
  readonly fields: ReportFields & { readonly address: string; readonly point: NonNullable<ReportFields['point']> }
  readonly answers: readonly CheckedAnswer[]
  readonly pictures: readonly AnsweredPicture[]
}

/** A file that came as the answer to a question. */
interface AnsweredFile {
  readonly question: RequestTypeQuestion
  readonly position: number
  readonly upload: Upload
}

export type AnsweredPicture = Omit<AnsweredFile, 'upload'> & { readonly clean: CleanPicture }

/**
 * Checks all of a report, and cleans its pictures, since only then it is known whether they are any.
 * @throws Problem 422 `{errors: {field: [text]}}` with all faults at once, those of pictures among them; 503 where too many pictures wait
 */
export async function checkReport(db: Queryable, body: unknown, badText: ReportFaults = {}): Promise<CheckedReport> {
  const { fields, faults } = readReportFields(body)
  const { address, point } = fields
  const type = await typeOf(db, fields)
  if (fields.requestType !== undefined && !type) faults['request_type_id'] = [NO_TYPE]
  if (type && !type.covers) faults['point'] = [text('outside_of_request_type')]
  const questions = type ? [...type.questions, ...unaskedTexts(type.questions)] : []
  const uploads = uploadsFor(questions, fields.answers)
  const checked = checkAnswers(questions, fields.answers, new Set(uploads.map(({ question }) => question.primary_key)))
  const { pictures, damaged } = await cleanAll(uploads)
  Object.assign(faults, checked.faults, damaged, badText)
  if (!type || address === undefined || !point || Object.keys(faults).length > 0) throw problems.invalidErrors(faults)
  return { type, fields: { ...fields, address, point }, answers: checked.answers, pictures }
}

/** Clients send a summary and a description with every type: both are kept, whether its form asks for them or not. */
function unaskedTexts(asked: readonly RequestTypeQuestion[]): RequestTypeQuestion[] {
  return otherRequestType.questions
    .filter(({ primary_key }) => primary_key === 'summary' || primary_key === 'description')
    .filter(({ primary_key }) => !asked.some((question) => question.primary_key === primary_key))
    .map((question) => ({ ...question, response_required: false }))
}

async function typeOf(db: Queryable, { requestType, point }: ReportFields): Promise<ReportType | undefined> {
  if (requestType === undefined) return undefined
  if (requestType !== 'other') return findReportType(db, requestType, point)
  const { title, questions } = otherRequestType
  return { id: null, title, category: 'other', questions, holds: false, covers: true }
}

function uploadsFor(questions: readonly RequestTypeQuestion[], given: ReportFields['answers']): AnsweredFile[] {
  return questions.flatMap((question, position) => {
    const upload = Object.hasOwn(given, question.primary_key) ? given[question.primary_key] : undefined
    return question.question_type === 'file' && upload instanceof Upload ? [{ question, position, upload }] : []
  })
}

async function cleanAll(uploads: readonly AnsweredFile[]) {
  const pictures: AnsweredPicture[] = []
  const damaged: ReportFaults = {}
  for (const { upload, ...answered } of uploads) {
    try {
      pictures.push({ ...answered, clean: await cleanUpload(upload) })
    } catch (error) {
      if (!(error instanceof PictureRefused)) throw error
      damaged[answered.question.primary_key] = [error.reason]
    }
  }
  return { pictures, damaged }
}
