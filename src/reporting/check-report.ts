import type { Queryable } from '../database/database.ts'
import { PictureRefused, refuseNoPicture } from '../files/picture.ts'
import { problems } from '../http/problems.ts'
import { Upload } from '../http/uploads.ts'
import { type CheckedAnswer, checkAnswers } from './answers.ts'
import { NO_TYPE, readReportFields, type ReportFaults, type ReportFields } from './report-fields.ts'
import { findReportType, type ReportType } from './report-queries.ts'
import { otherRequestType } from './rules.ts'
import type { RequestTypeQuestion } from './schema.ts'

export interface CheckedReport {
  readonly type: ReportType
  readonly fields: ReportFields & { readonly address: string; readonly point: NonNullable<ReportFields['point']> }
  readonly answers: readonly CheckedAnswer[]
  readonly uploads: readonly AnsweredFile[]
}

/** A file that came as the answer to a question. */
export interface AnsweredFile {
  readonly question: RequestTypeQuestion
  readonly position: number
  readonly upload: Upload
}

/**
 * Checks a report as far as it can be checked before its pictures are decoded.
 * @throws Problem 422 `{errors: {field: [text]}}` with all faults at once, those of pictures among them
 */
export async function checkReport(db: Queryable, body: unknown): Promise<CheckedReport> {
  const { fields, faults } = readReportFields(body)
  const { address, point } = fields
  const type = await typeOf(db, fields)
  if (fields.requestType !== undefined && !type) faults['request_type_id'] = [NO_TYPE]
  if (type && !type.covers) faults['point'] = ['lies outside of the area of this request type']
  const questions = type?.questions ?? []
  const uploads = uploadsFor(questions, fields.answers)
  const checked = checkAnswers(questions, fields.answers, new Set(uploads.map(({ question }) => question.primary_key)))
  Object.assign(faults, checked.faults, await faultsOfPictures(uploads))
  if (!type || address === undefined || !point || Object.keys(faults).length > 0) throw problems.invalidErrors(faults)
  return { type, fields: { ...fields, address, point }, answers: checked.answers, uploads }
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

/** By their heads alone, which costs next to nothing: whether they can be decoded turns out when they are. */
async function faultsOfPictures(uploads: readonly AnsweredFile[]): Promise<ReportFaults> {
  const faults: ReportFaults = {}
  for (const { question, upload } of uploads) {
    await refuseNoPicture(upload.path).catch((error: unknown) => {
      faults[question.primary_key] = [textOf(error)]
    })
  }
  return faults
}

/** @throws whatever is no refusal of a picture */
export function textOf(error: unknown): string {
  if (error instanceof PictureRefused) return error.message
  throw error
}
